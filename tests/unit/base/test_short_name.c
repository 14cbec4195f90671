/*
 * test_short_name.c - names without parameter lists: by example, and whatever bytes they are made
 * of.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/short_name.h"

static void
expect(const char *name, const char *expected)
{
	char out[256];

	out[ph_without_parameters(name, strlen(name), out)] = '\0';
	assert_string_equal(out, expected);
}

static void
test_functions(void **state)
{
	(void) state;
	expect("main/f(int, char**)", "main/f");
	expect("f()/g(a(b), c)/h", "f/g/h");
	expect("A::g<int>(long) const", "A::g<int>");
	expect("A::g<int>(long) constant", "A::g<int> constant");
	expect("void sort<T>(T*)::{lambda(int)#1}::operator()(int) const",
		   "void sort<T>::{lambda#1}::operator()");
	expect("CommRecv(Domain&, int)/MPI_Comm_rank · 12 %", "CommRecv/MPI_Comm_rank · 12 %");
	expect("~A()", "~A");
}

static void
test_what_stays(void **state)
{
	static const char *const names[] = {"",
										"(",
										")",
										"f(",
										"f(g(",
										"f)(",
										"(anonymous namespace)::f",
										"operator()",
										"A::operator()<int>",
										"step(3)",
										"note (a, b)",
										"!$omp critical(lock) @a.c:3",
										"std::function<void (int)>::apply"};

	(void) state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		expect(names[i], names[i]);
}

static void
test_mangled_names(void **state)
{
	static const char *const names[][2] = {
		{"_Z14CalcElemVolumePKdS0_S0_", "CalcElemVolume"},
		{"main/_ZN3foo3barIiEEvv/MPI_Send", "main/foo::bar/MPI_Send"},
		{"_ZNK6Domain4gridEv 12 %", "Domain::grid 12 %"},
		{"_ZN12_GLOBAL__N_14workEi", "(anonymous namespace)::work"},
		{"_GLOBAL__sub_I__Z14CalcElemVolumePKdS0_S0_", "initialising CalcElemVolume"},
		{"_GLOBAL__sub_I_main.cc", "initialising main.cc"},
		{"_Z3foo3Bar", "foo"},
		{"_ZN1a1b1c1d1e1f1g1h1iE", "a::b::c::d::e::f::g::h::i"},
		{"_Z", "_Z"},
		{"_Z9short", "_Z9short"},
		{"_Z99999999999999999999x", "_Z99999999999999999999x"},
		{"_ZSt4moveIiE", "_ZSt4moveIiE"},
		{"_GLOBAL__sub_I_", "_GLOBAL__sub_I_"},
		{"a_Z3foo", "a_Z3foo"},
		{"", ""}};
	char out[256];

	(void) state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
	{
		size_t length = strlen(names[i][0]), n = ph_demangled(names[i][0], length, out);

		assert_true(n <= 2 * length);
		out[n] = '\0';
		assert_string_equal(out, names[i][1]);
	}
}

static void
expect_known(const char *name, const char *expected)
{
	char out[256];

	out[ph_without_namespaces(name, strlen(name), out)] = '\0';
	assert_string_equal(out, expected);
}

static void
test_namespaces(void **state)
{
	static const char *const names[] = {"",			 "::",			 "a::",	 "void",
										"Domain::x", "Domain::x::y", "A1::b"};

	(void) state;
	expect_known("void at::native::(anonymous namespace)::copy<at::Half, 2ul>", "copy<Half, 2ul>");
	expect_known("std::vector<double, std::allocator<double> >::push_back",
				 "vector<double, allocator<double> >::push_back");
	expect_known("v2_x::f", "f");
	expect_known("a::::f", "::f");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		expect_known(names[i], names[i]);
}

/* They only leave bytes out, keep names without parentheses or colons, and may work in place. */
static void
check_random(size_t (*shorten)(const char *, size_t, char *), char needed)
{
	static const char letters[] = "()()ab3>/! o::::D";

	for (int round = 0; round < 20000; round++)
	{
		char text[24], out[24];
		size_t length = (size_t) rand() % sizeof(text), n, at = 0;

		for (size_t i = 0; i < length; i++)
			text[i] = letters[(size_t) rand() % (sizeof(letters) - 1)];
		n = shorten(text, length, out);
		assert_true(n <= length);
		assert_true(memchr(text, needed, length) || n == length);
		for (size_t i = 0; i < length && at < n; i++)
			at += text[i] == out[at];
		assert_int_equal(at, n);
		assert_int_equal(shorten(text, length, text), n);
		assert_memory_equal(text, out, n);
	}
}

static void
test_random_bytes(void **state)
{
	(void) state;
	srand(20261128);
	check_random(ph_without_parameters, '(');
	check_random(ph_without_namespaces, ':');
}

/* Twice the bytes take twice the time, however parentheses nest: a second is a thousand times
 * enough. */
static void
test_linear(void **state)
{
	static const char *const parts[] = {"(",  "f(",			 "f(1", "f()", "!f()",
										"a)", "operator()(", "a",	"a::", "a:"};
	size_t length = 1 << 20;
	char *text = malloc(length);

	(void) state;
	for (size_t kind = 0; kind < sizeof(parts) / sizeof(*parts); kind++)
	{
		clock_t start = clock();

		for (size_t i = 0; i < length; i++)
			text[i] = parts[kind][i % strlen(parts[kind])];
		assert_true(ph_without_namespaces(text, length, text) <= length);
		for (size_t i = 0; i < length; i++)
			text[i] = parts[kind][i % strlen(parts[kind])];
		assert_true(ph_without_parameters(text, length, text) <= length);
		assert_true(clock() - start < CLOCKS_PER_SEC);
	}
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mangled_names), cmocka_unit_test(test_functions),
		cmocka_unit_test(test_what_stays),	  cmocka_unit_test(test_namespaces),
		cmocka_unit_test(test_random_bytes),  cmocka_unit_test(test_linear),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
