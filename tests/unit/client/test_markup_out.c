/*
 * test_markup_out.c - names and texts of strangers in XML, HTML and Markdown.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/markup_out.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static char *
written(void (*put)(FILE *, const char *), const char *text)
{
	char *out = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&out, &size);

	put(stream, text);
	fclose(stream);
	return out;
}

static void
check(void (*put)(FILE *, const char *), const char *text, const char *expected)
{
	char *out = written(put, text);

	assert_string_equal(out, expected);
	free(out);
}

static void
test_markup(void **state)
{
	(void) state;
	check(ph_markup_put_text, "a<b> & \"c\" 'd'", "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
	check(ph_markup_put_text, "\x01\xff", "\xef\xbf\xbd\xef\xbf\xbd");
	check(ph_markup_put_text, NULL, "");
}

/* What Markdown takes for itself in any case is written as people write it. */
static void
test_markdown_stays(void **state)
{
	static const char *const texts[] = {
		"main/CalcForceForNodes(Domain&)",
		"std::vector::push_back(int const&)",
		"MPI_Send takes 3.2 % (+0.1 s) more; it took 5 s: slower work.",
		"operator->() && a > b, x += 1; {1, 2}!",
		"-3.2 %",
		"+0.5 s",
		".TAU application",
		"8 ranks, 1.5 times",
		"C:\\path and \\ alone",
		"2)no list without a blank",
		"Größe → 漢字"};

	(void) state;
	for (size_t i = 0; i < COUNT(texts); i++)
		check(ph_markdown_put_text, texts[i], texts[i]);
}

static void
test_markdown_escapes(void **state)
{
	static const struct
	{
		const char *text, *expected;
	} cases[] = {{"<img src=x>", "&lt;img src=x>"},
				 {"a&lt;b & c&#60;", "a&amp;lt;b & c&amp;#&#8203;60;"},
				 {"*a* `b` ~c~ a|b", "&#42;a&#42; &#96;b&#96; &#126;c&#126; a&#124;b"},
				 {"![x](http://y) [z]: q", "!&#91;x&#93;(http&#58;//y) &#91;z&#93;: q"},
				 {"www.y.org WWW.y", "www&#46;y.org WWW&#46;y"},
				 {"_a_ __main__ a_b a__b _", "&#95;a&#95; &#95;&#95;main&#95;&#95; a_b a__b &#95;"},
				 {"a_ _b a\xc3\xa4_b", "a&#95; &#95;b a\xc3\xa4&#95;b"},
				 {"\\* \\", "&#92;&#42; &#92;"},
				 {"@all a@b.org f@", "@&#8203;all a@&#8203;b.org f@"},
				 {"see #12 and !34, c#", "see #&#8203;12 and !&#8203;34, c#"},
				 {"# head", "&#35; head"},
				 {"> said", "&#62; said"},
				 {"- item", "&#45; item"},
				 {"---", "&#45;--"},
				 {"===", "&#61;=="},
				 {"1. item", "1&#46; item"},
				 {"12) item", "12&#41; item"},
				 {"    code", "code"},
				 {"a\r\nb\tc\x01", "a  b c "},
				 {"!$omp parallel", "!&#36;omp parallel"},
				 {"{+ new +} {- old -}", "&#123;+ new +} &#123;- old -}"},
				 {"\xff", "\xef\xbf\xbd"}};

	(void) state;
	for (size_t i = 0; i < COUNT(cases); i++)
		check(ph_markdown_put_text, cases[i].text, cases[i].expected);
	check(ph_markdown_put_text, NULL, "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_markup),
		cmocka_unit_test(test_markdown_stays),
		cmocka_unit_test(test_markdown_escapes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
