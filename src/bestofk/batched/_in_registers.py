"""Loops that are held in the registers of the processor.

A compiler that is given a loop over sums of products stores what it has added up after every few
steps and loads it again. Here four columns of sums stay where they are added up, for as many
numbers side by side as there are registers; and eight rows change places with eight columns there.
So these loops, and no others, are written in the language of the compiler itself. Their steps are
those of the kernels that they stand for, in the same order.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

# Numbers of a vector, and vectors that are added up at once: what the registers hold.
_WIDTH, _SIDE = (8, 4) if binding.get_host_cpu_features().get("avx512f") else (4, 2)
_COLUMNS = 4
_INDEX, _VECTOR = ir.IntType(64), ir.VectorType(ir.DoubleType(), _WIDTH)
# Rows and columns that change places at once.
_BLOCK = 8
_LINE = ir.VectorType(ir.DoubleType(), _BLOCK)


def add_squares(tile: Any, factors: Any, shifts: Any, total: Any) -> None:
    """Add up the squares of a tile times a matrix; see `_quadratic_kernels._add_squares`."""
    _squares(tile, factors, shifts, total)


def add_lines(tile: Any, factors: Any, sums: Any) -> None:
    """Multiply a tile by a matrix; see `_linear_kernels._add_lines`."""
    _lines(tile, factors, sums)


def add_panel(tile: Any, n_rows: int, column: int, size: int, totals: Any) -> None:
    """Add the products of four columns and all to their right; see `_product_kernels`."""
    _panel(tile, n_rows, column, size, totals)


def lay_side_by_side(order: Any, at: int, n_rows: int, X: Any, tile: Any) -> None:
    """Write rows as columns; see `_tile_kernels.lay_side_by_side`."""
    n_whole, size = n_rows // 8 * 8, X.shape[1] // 8 * 8
    for lane in range(0, n_whole, 8):
        k = at + lane
        rows = (
            order[k], order[k + 1], order[k + 2], order[k + 3],
            order[k + 4], order[k + 5], order[k + 6], order[k + 7],
        )  # fmt: skip
        for q in range(0, size, 8):
            _turn(X, rows, q, tile, lane)
        for q in range(size, X.shape[1]):
            for j in range(8):
                tile[q, lane + j] = X[order[k + j], q]
    for lane in range(n_whole, n_rows):
        i = order[at + lane]
        for q in range(X.shape[1]):
            tile[q, lane] = X[i, q]


@intrinsic  # type: ignore[untyped-decorator]
def _squares(_: Any, tile: Any, factors: Any, shifts: Any, total: Any) -> tuple[Any, Any]:
    return types.void(tile, factors, shifts, total), _write_squares


@intrinsic  # type: ignore[untyped-decorator]
def _lines(_: Any, tile: Any, factors: Any, sums: Any) -> tuple[Any, Any]:
    return types.void(tile, factors, sums), _write_lines


@intrinsic  # type: ignore[untyped-decorator]
def _panel(_: Any, tile: Any, n_rows: Any, column: Any, size: Any, totals: Any) -> tuple[Any, Any]:
    return types.void(tile, types.intp, types.intp, types.intp, totals), _write_panel


@intrinsic  # type: ignore[untyped-decorator]
def _turn(_: Any, X: Any, rows: Any, q: Any, tile: Any, lane: Any) -> tuple[Any, Any]:
    return types.void(X, rows, types.intp, tile, types.intp), _write_turn


def _write_squares(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Write the loop: rows side by side, four columns after the other, down each of them."""
    tile, factors, shifts, total = _arrays(context, builder, signature.args, arguments)
    n_rows, width = cgutils.unpack_tuple(builder, factors.shape)
    n_lanes = cgutils.unpack_tuple(builder, total.shape)[0]
    code = _Vectors(builder)
    squares = code.accumulators(1)[0]
    sums = code.accumulators(_COLUMNS)
    with code.steps(_INDEX(0), n_lanes, _WIDTH * _SIDE) as first:
        for item in squares:
            builder.store(_VECTOR(None), item)
        with code.steps(_INDEX(0), width, _COLUMNS) as left:
            for column, own in enumerate(sums):
                for item in own:
                    builder.store(code.repeated(shifts.data, left, column), item)

            def add_row(row: Any, leftmost: int) -> None:
                lanes = builder.add(builder.mul(row, n_lanes), first)
                factor = builder.add(builder.mul(row, width), left)
                code.add_products(sums, tile.data, lanes, factors.data, factor, leftmost)

            corner = builder.add(builder.sub(n_rows, width), left)
            with code.steps(_INDEX(0), corner, 1) as row:
                add_row(row, 0)
            for down in range(_COLUMNS):  # the matrix ends in a triangle
                add_row(builder.add(corner, _INDEX(down)), down)
            for own in sums:
                for item, square in zip(own, squares, strict=True):
                    value = builder.load(item)
                    code.add_product(square, value, value)
        for side, item in enumerate(squares):
            code.store(builder.load(item), total.data, first, side)
    return context.get_dummy_value()


def _write_lines(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Write the loop: rows side by side, four columns after the other, down all of them."""
    tile, factors, result = _arrays(context, builder, signature.args, arguments)
    n_rows, width = cgutils.unpack_tuple(builder, factors.shape)
    n_lanes = cgutils.unpack_tuple(builder, result.shape)[1]
    code = _Vectors(builder)
    sums = code.accumulators(_COLUMNS)
    strips = code.steps(_INDEX(0), n_lanes, _WIDTH * _SIDE)
    with strips as first, code.steps(_INDEX(0), width, _COLUMNS) as left:
        for total in itertools.chain(*sums):
            builder.store(_VECTOR(None), total)
        with code.steps(_INDEX(0), n_rows, 1) as row:
            lanes = builder.add(builder.mul(row, n_lanes), first)
            factor = builder.add(builder.mul(row, width), left)
            code.add_products(sums, tile.data, lanes, factors.data, factor)
        for column, own in enumerate(sums):
            line = builder.add(left, _INDEX(column))
            begin = builder.add(builder.mul(line, n_lanes), first)
            for side, item in enumerate(own):
                code.store(builder.load(item), result.data, begin, side)
    return context.get_dummy_value()


def _write_panel(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Write the loop: columns side by side, as many vectors as there are, down the rows."""
    tile, _, _, _, totals = _arrays(context, builder, signature.args, arguments)
    _, n_rows, column, size, _ = arguments
    wide = cgutils.unpack_tuple(builder, totals.shape)[1]
    code = _Vectors(builder)
    sums = code.accumulators(_COLUMNS)
    with code.steps(column, size, _WIDTH * _SIDE) as left:
        n_left = builder.sub(size, left)
        for n_vectors in range(1, _SIDE + 1):
            is_last = n_vectors == _SIDE
            are_more = builder.icmp_signed(">", n_left, _INDEX(_WIDTH * (n_vectors - 1)))
            are_less = builder.icmp_signed("<=", n_left, _INDEX(_WIDTH * n_vectors))
            with builder.if_then(are_more if is_last else builder.and_(are_more, are_less)):
                some = [own[:n_vectors] for own in sums]
                rows = [builder.add(column, _INDEX(index)) for index in range(_COLUMNS)]
                indices = [builder.add(builder.mul(row, wide), left) for row in rows]
                for index, own in zip(indices, some, strict=True):
                    for side, item in enumerate(own):
                        builder.store(code.load(totals.data, index, side), item)
                with code.steps(_INDEX(0), n_rows, 1) as row:
                    begin = builder.mul(row, wide)
                    lanes, factor = builder.add(begin, left), builder.add(begin, column)
                    code.add_products(some, tile.data, lanes, tile.data, factor)
                for index, own in zip(indices, some, strict=True):
                    for side, item in enumerate(own):
                        code.store(builder.load(item), totals.data, index, side)
    return context.get_dummy_value()


def _write_turn(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Load lines of eight rows from column q on, and store them as lines of eight columns."""
    X, _, _, tile, _ = _arrays(context, builder, signature.args, arguments)
    _, rows, q, _, lane = arguments
    number = signature.args[1].dtype

    def place(array: Any, line: Any, first: Any) -> Any:
        stride = cgutils.unpack_tuple(builder, array.strides)[0]
        begin = cgutils.pointer_add(builder, array.data, builder.mul(line, stride))
        return builder.bitcast(builder.gep(begin, [first]), _LINE.as_pointer())

    wide = [
        context.cast(builder, row, number, types.intp)
        for row in cgutils.unpack_tuple(builder, rows)
    ]
    lines = [builder.load(place(X, row, q), align=8) for row in wide]
    for step in (1, 2, 4):  # blocks of this size change places
        near = [k - step + _BLOCK if k & step else k for k in range(_BLOCK)]
        far = [k + _BLOCK if k & step else k + step for k in range(_BLOCK)]
        masks = [ir.Constant(ir.VectorType(ir.IntType(32), _BLOCK), item) for item in (near, far)]
        for k in range(_BLOCK):
            if not k & step:
                pair = lines[k], lines[k + step]
                lines[k], lines[k + step] = (builder.shuffle_vector(*pair, mask) for mask in masks)
    for k, line in enumerate(lines):
        builder.store(line, place(tile, builder.add(q, _INDEX(k)), lane), align=8)
    return context.get_dummy_value()


def _arrays(context: Any, builder: Any, kinds: Any, values: Any) -> list[Any]:
    """Return arrays among arguments as structures, and None for others."""
    return [
        context.make_array(kind)(context, builder, value) if isinstance(kind, types.Array) else None
        for kind, value in zip(kinds, values, strict=True)
    ]


class _Vectors:
    """Instructions for vectors of numbers that stand side by side.

    Parameters
    ----------
    builder : llvmlite.ir.IRBuilder
        Where they are written.
    """

    def __init__(self, builder: Any) -> None:
        self._builder = builder

    def accumulators(self, n_columns: int) -> list[list[Any]]:
        """Return room for vectors of some columns, which is to become registers."""
        item = self._builder
        return [
            [cgutils.alloca_once(item, _VECTOR) for _ in range(_SIDE)] for _ in range(n_columns)
        ]

    @contextmanager
    def steps(self, start: Any, stop: Any, step: int) -> Iterator[Any]:
        """Loop over indices."""
        inside = cgutils.for_range_slice(self._builder, start, stop, _INDEX(step), inc=True)
        with inside as (index, _):
            yield index

    def load(self, data: Any, begin: Any, number: int) -> Any:
        """Load one of the vectors that begin somewhere in an array."""
        return self._builder.load(self._place(data, begin, number), align=8)

    def store(self, value: Any, data: Any, begin: Any, number: int) -> None:
        """Store one of the vectors that begin somewhere in an array."""
        self._builder.store(value, self._place(data, begin, number), align=8)

    def repeated(self, data: Any, begin: Any, number: int) -> Any:
        """Load a number into all places of a vector."""
        index = self._builder.add(begin, _INDEX(number))
        item = self._builder.load(self._builder.gep(data, [index]))
        none, first = _VECTOR(ir.Undefined), ir.IntType(32)(0)
        alone = self._builder.insert_element(none, item, first)
        everywhere = ir.VectorType(ir.IntType(32), _WIDTH)(None)
        return self._builder.shuffle_vector(alone, none, everywhere)

    def add_product(self, room: Any, first: Any, other: Any) -> None:
        """Add a product to what is in some room; rounded as a product, and again as a sum."""
        product = self._builder.fmul(first, other)
        self._builder.store(self._builder.fadd(self._builder.load(room), product), room)

    def add_products(
        self,
        sums: Sequence[Sequence[Any]],
        values: Any,
        begin: Any,
        factors: Any,
        left: Any,
        leftmost: int = 0,
    ) -> None:
        """Add the products of numbers that begin somewhere and one factor for each column."""
        vectors = [self.load(values, begin, side) for side in range(len(sums[0]))]
        for column in range(leftmost, _COLUMNS):
            factor = self.repeated(factors, left, column)
            for vector, total in zip(vectors, sums[column], strict=True):
                self.add_product(total, vector, factor)

    def _place(self, data: Any, begin: Any, number: int) -> Any:
        index = self._builder.add(begin, _INDEX(number * _WIDTH))
        return self._builder.bitcast(self._builder.gep(data, [index]), _VECTOR.as_pointer())
