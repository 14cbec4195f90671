/*
 * short_name.h - names of functions as people call them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BASE_SHORT_NAME_H
#define PH_BASE_SHORT_NAME_H

#include <stddef.h>

/*
 * text without the parameter lists of C++ functions, wherever they are in it: "main/f(int, char**)"
 * is "main/f", "A::g<int>(long) const" is "A::g<int>". What else is in parentheses stays:
 * "(anonymous namespace)", "operator()", "step(3)", "note (a, b)" and OpenMP's directives. For
 * labels and sentences: overloaded functions are no longer told apart. out has room for length
 * bytes and may be text; no NUL is added. How many bytes out has.
 */
size_t ph_without_parameters(const char *text, size_t length, char *out);

/*
 * name without what C++ writes before the part that people know it by: the result "void", and
 * qualifiers in small letters, which are namespaces by custom, in template arguments, too:
 * "void at::native::(anonymous namespace)::copy<at::Half>" is "copy<Half>", "Domain::x" stays. For
 * labels that have no room. As above.
 */
size_t ph_without_namespaces(const char *name, size_t length, char *out);

/*
 * text with the names of C++ in it that were left mangled (Itanium: _ZN3foo3barEi) as people say
 * them: "foo::bar", without parameters and template arguments; of _GLOBAL__sub_I_NAME
 * "initialising NAME". Another name stays. out has room for twice the length and is not text.
 */
size_t ph_demangled(const char *text, size_t length, char *out);

#endif
