"""mutations.py - all small changes of a C source that a test should notice.

The source is read as tokens, not parsed: the house format (clang-format) tells a product from a pointer and a statement's
end from a declaration's. What does not compile is dropped later, so that a rule here may be a little too generous.
"""

import re
from dataclasses import dataclass

TOKEN = re.compile(
    r"""
    (?P<comment>/\*.*?\*/|//[^\n]*)
  | (?P<directive>^[ \t]*\#(?:\\\n|[^\n])*)
  | (?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
  | (?P<number>0[xX][0-9a-fA-F]+[uUlL]*|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[uUlLfF]*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<sign>->|\+\+|--|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\.\.\.|\S)
    """,
    re.X | re.S | re.M,
)
DEFINE = re.compile(r"[ \t]*#define\s+\w+[ \t]+\(?(?P<number>-?[\d.][\w.+-]*)")

SWAPS = {
    "relational": {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="},
    "arithmetic": {
        "+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "<<": ">>", ">>": "<<", "&": "|", "|": "&",
        "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "|=": "&=", "&=": "|=", "++": "--", "--": "++",
    },
    "logical": {"&&": "||", "||": "&&"},
}  # fmt: skip
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>="}
CONTROL = {"if", "while", "for", "switch"}
WORDS = CONTROL | {"return", "sizeof", "else", "do", "case", "default", "goto", "break", "continue"}
# Multiplicative operators bind a term of a sum together; all of these end one.
TIGHT = {"*", "/", "%"}
# A check for a cancelled query: without it a cancel is only noticed at the next one.
POLL = "ph_env_poll"


@dataclass(frozen=True)
class Mutation:
    """One change: source[start:end] becomes text. What it shows are the whole lines, blanks squeezed."""

    file: str
    kind: str
    start: int
    end: int
    text: str
    line: int
    original: str
    mutated: str

    def apply(self, source):
        # Lines keep their numbers.
        lines = "\n" * source[self.start : self.end].count("\n")
        return source[: self.start] + self.text + lines + source[self.end :]


@dataclass
class Token:
    kind: str
    text: str
    start: int
    end: int


class Source:
    """One C file: its tokens outside comments, and where its functions' bodies are."""

    def __init__(self, file, text):
        self.file = file
        self.text = text
        self.tokens = []
        self.directives = []
        for match in TOKEN.finditer(text):
            token = Token(match.lastgroup, match.group(), match.start(), match.end())
            if token.kind == "directive":
                self.directives.append(token)
            elif token.kind != "comment":
                self.tokens.append(token)
        self.partner = self._match_brackets()

    def _match_brackets(self):
        partner, stack = {}, []
        for i, token in enumerate(self.tokens):
            if token.kind == "sign" and token.text in "([{":
                stack.append(i)
            elif token.kind == "sign" and token.text in ")]}" and stack:
                partner[i] = stack.pop()
                partner[partner[i]] = i
        return partner

    def bodies(self):
        """(first, last, head): the tokens of each function's { and }, and the text of its head."""
        i, head = 0, 0
        while i < len(self.tokens):
            text = self.tokens[i].text
            if text == "{":
                last = self.partner[i]
                if self.tokens[i - 1].text == ")":
                    yield i, last, " ".join(t.text for t in self.tokens[head:i])
                i = head = last + 1
            else:
                i += 1
                head = i if text == ";" else head

    def change(self, kind, start, end, text):
        first = self.text.rfind("\n", 0, start) + 1
        last = self.text.find("\n", end)
        before, after = self.text[first:start], self.text[end : last if last >= 0 else len(self.text)]
        squeeze = lambda s: " ".join(s.split())
        return Mutation(
            self.file, kind, start, end, text, self.text.count("\n", 0, start) + 1,
            squeeze(before + self.text[start:end] + after), squeeze(before + text + after),
        )  # fmt: skip


def mutations(file, text):
    """All mutations of a file, in the order of its text."""
    source = Source(file, text)
    found = list(_defines(source))
    for first, last, head in source.bodies():
        for i in range(first + 1, last):
            found += _token(source, i)
            found += _condition(source, i)
            found += _term(source, i, last)
            if _starts_statement(source, i):
                found += _statement(source, i, last, head)
    return [m for m in found if m.original != m.mutated]


def _number(text):
    """A number that is a little different."""
    match = re.match(r"(?P<value>0[xX][0-9a-fA-F]+|[\d.]+(?:[eE][+-]?\d+)?)(?P<suffix>\w*)$", text)
    if match is None:
        return None
    value, suffix = match.group("value"), match.group("suffix")
    if value[:2].lower() == "0x":
        return f"{int(value, 16) + 1:#x}{suffix}"
    if value.isdigit():
        return f"{int(value) + 1}{suffix}"
    return f"({text} * 1.5)"


def _defines(source):
    for token in source.directives:
        match = DEFINE.match(token.text)
        other = match and _number(match.group("number").lstrip("-").rstrip(")"))
        if other:
            start = token.start + match.start("number") + match.group("number").startswith("-")
            yield source.change("constant", start, start + len(match.group("number").lstrip("-")), other)


def _is_binary(source, i):
    """clang-format puts blanks around binary operators and none behind unary ones."""
    token = source.tokens[i]
    return source.text[token.start - 1].isspace() and source.text[token.end].isspace()


def _token(source, i):
    token, before, after = source.tokens[i], source.tokens[i - 1], source.tokens[i + 1]
    for kind, swaps in SWAPS.items():
        # A loop that counts the other way never survives: not worth a run.
        is_step = token.text in ("++", "--") and after.text != ")"
        if token.kind == "sign" and token.text in swaps and (is_step or _is_binary(source, i)):
            yield source.change(kind, token.start, token.end, swaps[token.text])
    if token.kind == "number":
        is_size = before.text == "[" and after.text == "]" and source.tokens[i - 3].kind == "name"
        other = None if is_size else _number(token.text)
        if other:
            yield source.change("constant", token.start, token.end, other)
    if token.text in ("true", "false"):
        yield source.change("constant", token.start, token.end, "false" if token.text == "true" else "true")


def _condition(source, i):
    """if, while and ?: with the condition turned round, or never true."""
    tokens = source.tokens
    if tokens[i].text in ("if", "while") and tokens[i + 1].text == "(":
        start, end = tokens[i + 1].start, tokens[source.partner[i + 1]].end
        yield source.change("condition", start, end, f"(!{source.text[start:end]})")
        if source.text[start + 1 : end - 1] != "true":
            yield source.change("condition", start, end, "(false)")
    if tokens[i].text == "?":
        colon, depth = i + 1, 0
        while depth > 0 or tokens[colon].text != ":":
            depth += {"?": 1, ":": -1}.get(tokens[colon].text, 0)
            colon = source.partner[colon] + 1 if tokens[colon].text in ("(", "[", "{") else colon + 1
        end = _end_of_operand(source, colon + 1, {",", ";", ":"})
        parts = source.text[tokens[i + 1].start : tokens[colon - 1].end], source.text[tokens[colon + 1].start : end]
        yield source.change("condition", tokens[i + 1].start, end, f"({parts[1]}) : ({parts[0]})")


def _end_of_operand(source, i, stops):
    """Where the operand that starts at token i ends: before a stop or the bracket around it."""
    tokens = source.tokens
    while tokens[i].text not in stops and tokens[i].text not in (")", "]", "}"):
        i = source.partner[i] + 1 if tokens[i].text in ("(", "[", "{") else i + 1
    return tokens[i - 1].end


def _term(source, i, last):
    """a + b * c without + b * c, a && b without && b."""
    token = source.tokens[i]
    if token.kind != "sign" or not _is_binary(source, i):
        return
    looser = {",", ";", ":", "?", "&&", "||", "==", "!=", "<", ">", "<=", ">=", "&", "|", "^", "<<", ">>"} | ASSIGNMENTS
    if token.text in ("+", "-"):
        end = _end_of_operand(source, i + 1, looser | {"+", "-"})
    elif token.text in TIGHT:
        end = _end_of_operand(source, i + 1, looser | {"+", "-"} | TIGHT)
    elif token.text == "&&":
        end = _end_of_operand(source, i + 1, {",", ";", ":", "?", "&&", "||"})
    elif token.text == "||":
        end = _end_of_operand(source, i + 1, {",", ";", ":", "?", "||"})
    else:
        return
    if end <= source.tokens[last].start:
        yield source.change("term", source.tokens[i - 1].end, end, "")


def _starts_statement(source, i):
    before = source.tokens[i - 1].text
    if before == ")":
        opener = source.partner[i - 1]
        return source.tokens[opener - 1].text in CONTROL
    return before in (";", "{", "}", "else", "do") and source.tokens[i].text not in ("{", "}", ";")


def _statement(source, i, last, head):
    """A call, an assignment or a jump left out; a status or a truth that is returned, changed."""
    tokens, end = source.tokens, i
    while tokens[end].text != ";":
        if tokens[end].text in ("{", "}") or end >= last:
            return
        end = source.partner[end] + 1 if tokens[end].text in ("(", "[") else end + 1
    first, stop = tokens[i], tokens[end]
    if first.text == "return":
        yield from _return(source, first, stop, head)
    elif first.text in ("break", "continue"):
        yield source.change("statement", first.start, stop.start, "")
    elif first.text == "PH_TRY":
        inner = source.text[tokens[i + 1].start : tokens[end - 1].end]
        if not inner.startswith(f"({POLL}("):
            yield source.change("statement", first.start, stop.start, "")
            yield source.change("status", first.start, stop.start, f"(void) {inner}")
    elif first.text not in WORDS and _is_effect(source, i, end):
        yield source.change("statement", first.start, stop.start, "")


def _is_effect(source, i, end):
    """Is it a call, an assignment or a step, and no declaration?"""
    tokens = source.tokens
    if tokens[i].kind == "name" and tokens[i + 1].text == "(":
        return source.partner[i + 1] == end - 1
    for k in range(i, end):
        if tokens[k].text in ASSIGNMENTS | {"++", "--"}:
            return True
        is_type = tokens[k].kind == "name" and (
            tokens[k + 1].kind == "name" or (tokens[k + 1].text == "*" and not _is_binary(source, k + 1))
        )
        if is_type:
            return False
    return False


def _return(source, first, stop, head):
    value = source.text[first.end : stop.start].strip()
    returns = head.split("(")[0].split()
    if "bool" in returns and value not in ("true", "false"):
        yield source.change("status", first.start, stop.start, f"return !({value})")
    if "PhStatus" in returns:
        other = "PH_ERR_VALUE" if value == "PH_OK" else "PH_OK"
        yield source.change("status", first.start, stop.start, f"return (void) ({value}), {other}")
