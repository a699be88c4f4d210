"""Python's operators on a RaggedTensor; what they do is imported when they are used."""

from __future__ import annotations

from typing import Any, NoReturn


class RaggedOperators:
    """The part of a RaggedTensor that makes it an operand."""

    def __getitem__(self: Any, key: Any) -> Any:
        from icefloe.lib.ragged_getitem import getitem

        return getitem(self, key)

    def __bool__(self) -> NoReturn:
        raise TypeError("RaggedTensor may not be used as a boolean.")


def _put_operator(word: str, name: str, *, turned: bool = False) -> None:
    def operator(*operands: Any) -> Any:
        from icefloe.lib.ragged_elementwise import operate

        return operate(word, *(reversed(operands) if turned else operands))

    operator.__name__ = f"__{name}__"
    setattr(RaggedOperators, f"__{name}__", operator)


for _word in ("add", "sub", "mul", "div", "truediv", "floordiv", "mod", "pow", "and", "or", "xor"):
    _put_operator(_word, _word)
    _put_operator(_word, f"r{_word}", turned=True)
for _word in ("lt", "le", "gt", "ge", "neg", "invert", "abs"):
    _put_operator(_word, _word)
