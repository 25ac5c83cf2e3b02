"""Generated selector trees, as the parser makes them, and messages to try them on."""

from __future__ import annotations

from hypothesis import strategies as st

from spark_jms_connector.message import Message, Value, double_text
from spark_jms_connector.selector import tree as t
from spark_jms_connector.selector.numbers import exact

NAMES = ("a", "b", "c", "$x", "_y", "名前", "JMSType", "JMSPriority", "JMSTimestamp", "JMSXGroupSeq")
TEXTS = st.text(st.sampled_from("ab%_'\\!é😀\n- "), max_size=6)

identifiers = st.sampled_from(NAMES).map(t.Identifier)
longs = st.one_of(st.integers(-3, 3), st.integers(-(2**63), 2**63 - 1), st.sampled_from((-(2**31), 2**31, 2**53 + 1)))
doubles = st.floats(allow_nan=False, allow_infinity=False).map(t.Approximate)
numbers = st.one_of(longs.map(exact), doubles)
suffixed = st.builds(exact, longs, st.booleans())
strings = TEXTS.map(t.String)
booleans = st.booleans().map(t.Boolean)


def _deeper_arithmetic(inner: st.SearchStrategy[t.Node]) -> st.SearchStrategy[t.Node]:
    rests = [st.lists(st.tuples(st.sampled_from(symbols), inner), min_size=1, max_size=3) for symbols in ("+-", "*/")]
    return st.one_of(
        st.builds(t.Signed, st.sampled_from("+-"), inner),
        st.builds(t.Arithmetic, inner, st.one_of(rests).map(tuple)),
    )


_parts = st.recursive(st.one_of(identifiers, suffixed, doubles), _deeper_arithmetic, max_leaves=5)
_computed = _deeper_arithmetic(_parts)
_operands = st.one_of(identifiers, numbers, _computed)
_any = st.one_of(_operands, strings, booleans)

predicates: st.SearchStrategy[t.Node] = st.one_of(
    booleans,
    identifiers,
    st.builds(t.Comparison, st.sampled_from(("=", "<>")), _any, _any),
    st.builds(t.Comparison, st.sampled_from(("<", "<=", ">", ">=")), _operands, _operands),
    st.builds(t.Between, _operands, _operands, _operands, st.booleans()),
    st.builds(t.In, identifiers, st.lists(TEXTS, min_size=1, max_size=3).map(tuple), st.booleans()),
    st.builds(t.Like, identifiers, TEXTS, st.one_of(st.none(), st.sampled_from("\\!'%")), st.booleans()),
    st.builds(t.IsNull, identifiers, st.booleans()),
)


def _deeper(inner: st.SearchStrategy[t.Node]) -> st.SearchStrategy[t.Node]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(inner.map(t.Not), several.map(t.And), several.map(t.Or))


conditions: st.SearchStrategy[t.Node] = st.recursive(predicates, _deeper, max_leaves=8)

values = st.one_of(
    st.none().map(Value.of),
    st.booleans().map(Value.of),
    TEXTS.map(Value.of),
    st.integers(-(2**63), 2**63 - 1).map(lambda number: Value("long", str(number))),
    st.integers(-(2**31), 2**31 - 1).map(lambda number: Value("int", str(number))),
    st.integers(-128, 127).map(lambda number: Value("byte", str(number))),
    st.floats().map(Value.of),
    st.floats(width=32).map(lambda number: Value("float", double_text(number))),
    st.builds(Value, st.sampled_from(("int", "float", "bytes", "?")), st.one_of(st.none(), TEXTS)),
)
messages = st.builds(
    Message,
    properties=st.dictionaries(st.sampled_from(NAMES), values, max_size=4),
    timestamp=st.one_of(st.none(), st.integers(1, 2**41)),
    type=st.one_of(st.none(), TEXTS),
    priority=st.integers(0, 9),
    group_seq=st.one_of(st.none(), st.integers(1, 5)),
)
