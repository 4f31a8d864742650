"""Splat PLY files: columns, encodings, raw and activated values, rows that cannot be drawn, and headers that lie."""

from __future__ import annotations

import math
import struct
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seeworthy.bench_data.errors import BenchDataError, BenchDataWarning
from seeworthy.bench_data.splats import GaussianCloud, read_splats, write_splats
from tests.bench_data.splats.clouds import full_covariances, random_cloud

BASE = ("x", "y", "z", "opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3")
COLOUR = ("f_dc_0", "f_dc_1", "f_dc_2")
GOOD = {"x": 1.0, "y": 2.0, "z": 3.0, "scale_0": -4.0, "scale_1": -5.0, "scale_2": -6.0, "rot_0": 1.0}
CODES = {"float": "f", "double": "d", "uchar": "B", "int": "i", "short": "h", "ushort": "H"}


def ply(
    rows: list[dict[str, float]],
    columns: tuple[str, ...] = (*BASE, *COLOUR),
    *,
    encoding: str = "binary_little_endian",
    types: dict[str, str] | None = None,
    default: str = "float",
    count: int | None = None,
    newline: str = "\n",
    before: str = "",
    prefix: bytes = b"",
) -> bytes:
    """A PLY file made by hand, independent of the writer under test."""
    kinds = [(types or {}).get(name, default) for name in columns]
    lines = ["ply", f"format {encoding} 1.0", "comment made by hand"]
    lines += [line for line in before.split("\n") if line]
    lines += [f"element vertex {len(rows) if count is None else count}"]
    lines += [f"property {kind} {name}" for kind, name in zip(kinds, columns, strict=True)] + ["end_header"]
    header = (newline.join(lines) + newline).encode()
    values = [[row.get(name, 0.0) for name in columns] for row in rows]
    if encoding == "ascii":
        body = "".join(
            " ".join(text(v, k) for v, k in zip(row, kinds, strict=True)) + newline for row in values
        ).encode()
    else:
        order = "<" if encoding == "binary_little_endian" else ">"
        form = struct.Struct(order + "".join(CODES[kind] for kind in kinds))
        body = b"".join(
            form.pack(*(v if k in ("float", "double") else int(v) for v, k in zip(row, kinds, strict=True)))
            for row in values
        )
    return header + prefix + body


def text(value: float, kind: str) -> str:
    return repr(value) if kind in ("float", "double") else str(int(value))


def read(tmp_path: Path, data: bytes, **options: Any) -> GaussianCloud:
    path = tmp_path / "room.ply"
    path.write_bytes(data)
    return read_splats(path, **options)


def same(a: GaussianCloud, b: GaussianCloud) -> bool:
    """Bit for bit."""
    names = ("means", "quats_wxyz", "scales", "opacities", "sh")
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in names)


class TestRoundTrip:
    @pytest.mark.parametrize("encoding", ["ascii", "binary_little_endian", "binary_big_endian"])
    @pytest.mark.parametrize("degree", [0, 1, 2, 3])
    def test_every_degree_and_encoding(self, tmp_path: Path, degree: int, encoding: Any) -> None:
        cloud = random_cloud(40, degree, instances=degree == 2)
        assert write_splats(cloud, tmp_path / "a.ply", ply_encoding=encoding) == ()
        back = read_splats(tmp_path / "a.ply")
        for name in ("means", "quats_wxyz", "sh"):
            assert np.array_equal(getattr(back, name), getattr(cloud, name)), name
        # The logarithm and the logit are rounded to float32 in between.
        assert np.abs(back.scales / cloud.scales - 1).max() < 1e-6
        assert np.abs(back.opacities - cloud.opacities).max() < 1e-7
        assert full_covariances(back) == pytest.approx(full_covariances(cloud), rel=1e-5, abs=1e-9)
        if cloud.instance_ids is None:
            assert back.instance_ids is None
        else:
            assert np.array_equal(back.instance_ids, cloud.instance_ids)  # type: ignore[arg-type]
        assert back.notes == ()

    def test_the_three_encodings_give_equal_values(self, tmp_path: Path) -> None:
        clouds = []
        for encoding in ("ascii", "binary_little_endian", "binary_big_endian"):
            clouds.append(read(tmp_path, ply([GOOD], encoding=encoding)))
        assert clouds[0].means.tolist() == [[1, 2, 3]]
        assert same(clouds[0], clouds[1])
        assert same(clouds[1], clouds[2])

    def test_certainly_opaque_and_certainly_clear_survive(self, tmp_path: Path) -> None:
        cloud = random_cloud(4)
        arrays = {n: getattr(cloud, n) for n in ("means", "quats_wxyz", "scales", "sh")}
        edges = np.array([0, 1, 1 - 2**-24, 1e-38], np.float32)
        write_splats(GaussianCloud(**arrays, opacities=edges), tmp_path / "a.ply")
        back = read_splats(tmp_path / "a.ply").opacities
        assert back[:3].tolist() == edges[:3].tolist()
        assert back[3] == pytest.approx(1e-38, rel=1e-4)

    def test_a_large_scene_crosses_the_blocks(self, tmp_path: Path) -> None:
        cloud = random_cloud(40_000, 0)
        write_splats(cloud, tmp_path / "a.ply")
        assert np.array_equal(read_splats(tmp_path / "a.ply").means, cloud.means)

    def test_empty(self, tmp_path: Path) -> None:
        for encoding in ("ascii", "binary_little_endian"):
            assert len(read(tmp_path, ply([], encoding=encoding))) == 0
        write_splats(GaussianCloud.empty(3), tmp_path / "b.ply")
        assert read_splats(tmp_path / "b.ply").sh_degree == 3

    @settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.floats(-60, 60), st.floats(-80, 80))
    def test_raw_to_activated(self, tmp_path: Path, logit: float, log_scale: float) -> None:
        row = GOOD | {"opacity": logit, "scale_0": log_scale}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BenchDataWarning)
            cloud = read(tmp_path, ply([row], default="double"))
        assert cloud.opacities[0] == pytest.approx(1 / (1 + math.exp(-logit)), rel=1e-5)
        assert cloud.scales[0, 0] == pytest.approx(math.exp(np.float32(log_scale)), rel=1e-6)


class TestSphericalHarmonics:
    @pytest.mark.parametrize(("rest", "degree"), [(0, 0), (9, 1), (24, 2), (45, 3)])
    def test_degree_by_count(self, tmp_path: Path, rest: int, degree: int) -> None:
        columns = (*BASE, *COLOUR, *(f"f_rest_{i}" for i in range(rest)))
        assert read(tmp_path, ply([GOOD], columns)).sh_degree == degree

    @pytest.mark.parametrize("rest", [1, 8, 10, 44, 46, 72])
    def test_other_counts(self, tmp_path: Path, rest: int) -> None:
        columns = (*BASE, *COLOUR, *(f"f_rest_{i}" for i in range(rest)))
        with pytest.raises(BenchDataError, match=f"{rest} f_rest columns; the allowed counts are 0, 9, 24 and 45"):
            read(tmp_path, ply([GOOD], columns))

    def test_a_gap_in_the_numbers(self, tmp_path: Path) -> None:
        columns = (*BASE, *COLOUR, *(f"f_rest_{i}" for i in range(10) if i != 4))
        with pytest.raises(BenchDataError, match="without gaps"):
            read(tmp_path, ply([GOOD], columns))

    def test_padded_numbers(self, tmp_path: Path) -> None:
        columns = (*BASE, *COLOUR, *(f"f_rest_{i:02}" for i in range(9)))
        with pytest.raises(BenchDataError, match="9 f_rest columns"):
            read(tmp_path, ply([GOOD], columns))

    def test_channel_major(self, tmp_path: Path) -> None:
        rest = tuple(f"f_rest_{i}" for i in range(9))
        row = GOOD | {name: i + 1 for i, name in enumerate(rest)}
        cloud = read(tmp_path, ply([row], (*BASE, *COLOUR, *rest)))
        assert cloud.sh[0, 1:].tolist() == [[1, 4, 7], [2, 5, 8], [3, 6, 9]]

    @pytest.mark.parametrize("seed", range(3))
    def test_columns_in_any_order(self, tmp_path: Path, seed: int) -> None:
        rest = tuple(f"f_rest_{i}" for i in range(24))
        row = GOOD | {name: i + 1 for i, name in enumerate(rest)} | {"f_dc_1": 0.5}
        columns = [*BASE, *COLOUR, *rest]
        straight = read(tmp_path, ply([row], tuple(columns)))
        np.random.default_rng(seed).shuffle(columns)
        assert same(read(tmp_path, ply([row], tuple(columns))), straight)
        assert straight.sh[0, 1:, 0].tolist() == [1, 2, 3, 4, 5, 6, 7, 8]

    @pytest.mark.parametrize(("kind", "full"), [("uchar", 255), ("ushort", 65535), ("float", 1.0)])
    @pytest.mark.parametrize("encoding", ["ascii", "binary_big_endian"])
    def test_plain_colours(self, tmp_path: Path, kind: str, full: float, encoding: str) -> None:
        colour = ("red", "green", "blue")
        types = dict.fromkeys(colour, kind)
        cloud = read(tmp_path, ply([GOOD | {"red": full}], (*BASE, *colour), types=types, encoding=encoding))
        assert cloud.sh_degree == 0
        assert cloud.sh[0, 0] == pytest.approx([1.7724539, -1.7724539, -1.7724539])

    def test_float_colours_above_one(self, tmp_path: Path) -> None:
        with pytest.raises(BenchDataError, match="floats above 1"):
            read(tmp_path, ply([GOOD | {"red": 200.0}], (*BASE, "red", "green", "blue")))

    def test_sh_is_taken_before_colours(self, tmp_path: Path) -> None:
        columns = (*BASE, *COLOUR, "red", "green", "blue")
        assert read(tmp_path, ply([GOOD | {"f_dc_0": 0.25, "red": 1.0}], columns)).sh[0, 0].tolist() == [0.25, 0, 0]


class TestNoSplatFile:
    @pytest.mark.parametrize("columns", [("x", "y", "z"), ("x", "y", "z", "red", "green", "blue")])
    def test_a_point_cloud(self, tmp_path: Path, columns: tuple[str, ...]) -> None:
        with pytest.raises(BenchDataError, match=r"plain point cloud, not a splat file; it lacks opacity, scale_0"):
            read(tmp_path, ply([GOOD], columns))

    @pytest.mark.parametrize("missing", [*BASE, *COLOUR])
    def test_a_missing_column_is_named(self, tmp_path: Path, missing: str) -> None:
        columns = tuple(name for name in (*BASE, *COLOUR) if name != missing)
        with pytest.raises(BenchDataError, match="lacks .*" + ("f_dc" if missing in COLOUR else missing)):
            read(tmp_path, ply([GOOD], columns))


class TestOddButRight:
    def test_doubles_and_an_extra_column(self, tmp_path: Path) -> None:
        columns = (*BASE[:3], "semantic_id", *BASE[3:], "label", *COLOUR)
        types = {"semantic_id": "int", "label": "uchar"}
        row = GOOD | {"semantic_id": 7, "label": 9}
        assert same(read(tmp_path, ply([row], columns, types=types, default="double")), read(tmp_path, ply([GOOD])))

    def test_windows_line_ends(self, tmp_path: Path) -> None:
        for encoding in ("ascii", "binary_little_endian"):
            assert same(read(tmp_path, ply([GOOD], newline="\r\n", encoding=encoding)), read(tmp_path, ply([GOOD])))

    def test_another_element_first(self, tmp_path: Path) -> None:
        camera = "element camera 2\nproperty float f\nproperty uchar id"
        data = ply([GOOD], before=camera, prefix=struct.pack("<fBfB", 1.5, 1, 2.5, 2))
        assert same(read(tmp_path, data), read(tmp_path, ply([GOOD])))
        data = ply([GOOD], before=camera, prefix=b"1.5 1\n2.5 2\n", encoding="ascii")
        assert same(read(tmp_path, data), read(tmp_path, ply([GOOD])))

    def test_blank_lines_in_a_text_body(self, tmp_path: Path) -> None:
        data = ply([GOOD, GOOD | {"x": 5.0}], encoding="ascii").replace(b"end_header\n", b"end_header\n\n\n")
        assert read(tmp_path, data).means[:, 0].tolist() == [1, 5]

    def test_the_name_does_not_matter(self, tmp_path: Path) -> None:
        (tmp_path / "a.splat").write_bytes(ply([GOOD]))
        assert same(read_splats(tmp_path / "a.splat"), read(tmp_path, ply([GOOD])))

    def test_instance_ids_out_of_range_are_ignored_with_a_note(self, tmp_path: Path) -> None:
        columns = (*BASE, *COLOUR, "instance_id")
        with pytest.warns(BenchDataWarning, match="ignored"):
            cloud = read(tmp_path, ply([GOOD | {"instance_id": -5}], columns, types={"instance_id": "int"}))
        assert cloud.instance_ids is None

    def test_an_unnormalised_quaternion_is_usual(self, tmp_path: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            cloud = read(tmp_path, ply([GOOD | {"rot_0": 3.0, "rot_3": 4.0}]))
        assert cloud.quats_wxyz[0] == pytest.approx([0.6, 0, 0, 0.8])


class TestActivation:
    def test_raw_opacities(self, tmp_path: Path) -> None:
        rows = [GOOD | {"opacity": value, "scale_0": math.log(0.01)} for value in (0.0, 20.0, -20.0)]
        cloud = read(tmp_path, ply(rows))
        assert cloud.opacities == pytest.approx([0.5, 1, 0], abs=1e-8)
        assert cloud.scales[:, 0] == pytest.approx([0.01] * 3)

    def test_a_file_that_looks_activated_is_read_as_raw_with_a_warning(self, tmp_path: Path) -> None:
        rng = np.random.default_rng(0)
        rows = [
            GOOD | {"opacity": rng.uniform(), **{f"scale_{i}": rng.uniform(1e-4, 0.1) for i in range(3)}}
            for _ in range(1000)
        ]
        data = ply(rows)
        with pytest.warns(BenchDataWarning, match="opacity and scale look activated; pass activated=True"):
            cloud = read(tmp_path, data)
        assert cloud.opacities[0] == pytest.approx(1 / (1 + math.exp(-rows[0]["opacity"])))
        assert any("look activated" in note for note in cloud.notes)
        told = read(tmp_path, data, activated=True)
        assert told.opacities[0] == pytest.approx(rows[0]["opacity"])
        assert told.scales[0, 0] == pytest.approx(rows[0]["scale_0"])
        assert told.notes == ()

    def test_a_raw_file_is_not_questioned(self, tmp_path: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert read(tmp_path, ply([GOOD])).notes == ()

    @pytest.mark.parametrize("change", [{"opacity": 3.0}, {"scale_0": -1.0}])
    def test_a_raw_file_under_activated(self, tmp_path: Path, change: dict[str, float]) -> None:
        activated = {"opacity": 0.5, "scale_0": 0.1, "scale_1": 0.1, "scale_2": 0.1}
        with pytest.raises(BenchDataError, match=r"cannot read room.ply: .*raw values"):
            read(tmp_path, ply([GOOD | activated | change]), activated=True)

    @pytest.mark.parametrize("log_scale", [-104.0, -500.0, -3e38])
    def test_a_scale_that_underflows_stays_positive(self, tmp_path: Path, log_scale: float) -> None:
        assert read(tmp_path, ply([GOOD | {"scale_0": log_scale}])).scales[0, 0] > 0


ZERO = {"x": 0.0}
BAD = [GOOD, GOOD | {"x": math.nan}, ZERO, GOOD | {"scale_1": -math.inf}]


class TestRowsThatCannotBeDrawn:
    @pytest.mark.parametrize("encoding", ["ascii", "binary_little_endian"])
    def test_they_are_counted_and_dropped(self, tmp_path: Path, encoding: str) -> None:
        report = "4 rows, 3 dropped: 1 non-finite, 1 zero quaternion, 1 infinite scale"
        columns = (*BASE, *COLOUR, "instance_id")
        data = ply(BAD, columns, encoding=encoding, types={"instance_id": "int"})
        with pytest.warns(BenchDataWarning, match=report):
            cloud = read(tmp_path, data)
        assert cloud.notes == (report,)
        assert [len(a) for a in (cloud.means, cloud.quats_wxyz, cloud.scales, cloud.opacities, cloud.sh)] == [1] * 5
        assert len(cloud.instance_ids) == 1  # type: ignore[arg-type]
        assert cloud.means.tolist() == [[1, 2, 3]]

    @pytest.mark.parametrize(
        ("row", "what"),
        [
            (BAD[1], "row 1 has position nan"),
            (BAD[2], "row 1 has the quaternion 0 0 0 0"),
            (BAD[3], "row 1 has scale -inf"),
            (GOOD | {"scale_0": math.inf}, "row 1 has scale inf"),
            (GOOD | {"scale_0": 89.0}, "row 1 has scale 89"),
            (GOOD | {"scale_2": math.nan}, "row 1 has scale nan"),
            (GOOD | {"opacity": math.inf}, "row 1 has opacity inf"),
            (GOOD | {"rot_2": math.inf}, "row 1 has quaternion inf"),
            (GOOD | {"f_dc_2": math.nan}, "row 1 has colour nan"),
        ],
    )
    def test_strict_names_the_row(self, tmp_path: Path, row: dict[str, float], what: str) -> None:
        with pytest.raises(BenchDataError, match=f'cannot read room.ply: {what}; drop such rows with on_bad="drop"'):
            read(tmp_path, ply([GOOD, row]), on_bad="error")
        with pytest.warns(BenchDataWarning, match="2 rows, 1 dropped"):
            assert len(read(tmp_path, ply([GOOD, row]))) == 1

    def test_doubles_too_large_for_float32(self, tmp_path: Path) -> None:
        with pytest.warns(BenchDataWarning, match="1 non-finite"):
            read(tmp_path, ply([GOOD, GOOD | {"x": 1e39}], default="double"))

    def test_nothing_left(self, tmp_path: Path) -> None:
        with pytest.raises(BenchDataError, match="nothing is left of its 2 rows"):
            read(tmp_path, ply([ZERO, ZERO]))

    def test_a_typing_error_in_the_policy(self, tmp_path: Path) -> None:
        with pytest.raises(BenchDataError, match='on_bad must be "drop" or "error"'):
            read(tmp_path, ply([GOOD]), on_bad="skip")


class TestFilesThatLie:
    def test_a_short_body(self, tmp_path: Path) -> None:
        with pytest.raises(BenchDataError, match=r"10 rows of 'vertex' need 560 bytes, the file has 224 left"):
            read(tmp_path, ply([GOOD] * 4, count=10))
        with pytest.raises(
            BenchDataError, match="10 rows of 14 numbers need at least 279 bytes, the file has 236 left"
        ):
            read(tmp_path, ply([GOOD] * 4, count=10, encoding="ascii"))
        with pytest.raises(BenchDataError, match="its header claims 5 rows, 4 are there"):
            read(tmp_path, ply([GOOD] * 4, count=5, encoding="ascii"))

    @pytest.mark.parametrize("encoding", ["ascii", "binary_little_endian"])
    @pytest.mark.parametrize("count", [10**12, 10**15 - 1])
    def test_a_huge_claim_allocates_nothing(self, tmp_path: Path, count: int, encoding: str) -> None:
        with pytest.raises(BenchDataError, match="cut off"):
            read(tmp_path, ply([GOOD], count=count, encoding=encoding))

    @pytest.mark.parametrize("cut", range(0, 400, 13))
    def test_cut_anywhere(self, tmp_path: Path, cut: int) -> None:
        data = ply([GOOD])
        with pytest.raises(BenchDataError, match="cannot read"):
            read(tmp_path, data[: min(cut, len(data) - 1)])

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            (b"element vertex 1", b"element vertex -1", "no count of rows"),
            (b"element vertex 1", b"element vertex 1e3", "no count of rows"),
            (b"element vertex 1", b"element vertex 99999999999999999999", "no count of rows"),
            (b"element vertex 1", "element vertex ١".encode(), "no count of rows"),
            (b"element vertex 1", b"element vertex", "not understood"),
            (b"element vertex 1", b"element face 1", "no element 'vertex'"),
            (b"element vertex 1\n", b"element vertex 1\nproperty list uchar int faces\n", "plain columns"),
            (b"property float x\n", b"property floaty x\n", "expected 'property <type> <name>'"),
            (b"property float x\n", b"property float\n", "expected 'property <type> <name>'"),
            (b"property float x\n", b"property float x\nproperty float x\n", "defined twice"),
            (b"element vertex 1\n", b"element vertex 0\nelement vertex 1\n", "defined twice"),
            (b"element vertex 1\n", b"", "before the first element"),
            (b"format binary_little_endian 1.0\n", b"", "no format line"),
            (b"binary_little_endian 1.0", b"binary_middle_endian 1.0", "header line 2"),
            (b"binary_little_endian 1.0", b"binary_little_endian 2.0", "header line 2"),
            (b"end_header\n", b"end\n", "not understood|no end_header"),
            (b"ply\n", b"plyx\n", "none of PLY"),
        ],
    )
    def test_a_damaged_header(self, tmp_path: Path, old: bytes, new: bytes, message: str) -> None:
        data = ply([GOOD])
        assert old in data
        with pytest.raises(BenchDataError, match=message):
            read(tmp_path, data.replace(old, new, 1))

    def test_more_columns_than_any_splat_has(self, tmp_path: Path) -> None:
        many = "".join(f"property char c{i}\n" for i in range(40_000))
        with pytest.raises(BenchDataError, match="more than 1024 columns"):
            read(tmp_path, f"ply\nformat ascii 1.0\nelement vertex 1\n{many}end_header\n".encode())
        many = "".join(f"element e{i} 1\n" for i in range(40_000))
        with pytest.raises(BenchDataError, match="more than 64 elements"):
            read(tmp_path, f"ply\nformat ascii 1.0\n{many}end_header\n".encode())

    def test_an_endless_header(self, tmp_path: Path) -> None:
        with pytest.raises(BenchDataError, match="no end_header"):
            read(tmp_path, b"ply\n" + b"comment x\n" * 300_000)
        with pytest.raises(BenchDataError, match="no end_header"):
            read(tmp_path, b"ply\n" + b"x" * 3_000_000)

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            (b"1 " * 13 + b"one", "could not convert"),
            (b"1 2", "columns changed|numbers in a row"),
            (b"1 " * 15, "columns|numbers"),
        ],
    )
    def test_a_damaged_text_row(self, tmp_path: Path, line: bytes, message: str) -> None:
        data = ply([GOOD, GOOD], encoding="ascii")
        body = data.index(b"end_header\n") + len(b"end_header\n")
        second = data.index(b"\n", body) + 1
        with pytest.raises(BenchDataError, match="cannot read room.ply: in rows 0 to 1: .*" + f"({message})"):
            read(tmp_path, data[:second] + line + b"\n")

    def test_a_list_before_the_rows(self, tmp_path: Path) -> None:
        before = "element face 1\nproperty list uchar int vertex_indices"
        with pytest.raises(BenchDataError, match="list columns"):
            read(tmp_path, ply([GOOD], before=before, prefix=b"\x01\x00\x00\x00\x00"))


class TestNames:
    def test_a_missing_file(self, tmp_path: Path) -> None:
        with pytest.raises(BenchDataError, match="No such file"):
            read_splats(tmp_path / "nothing.ply")

    @pytest.mark.parametrize("content", [b"", b"hello", b"\x89PNG\r\n", b"{}"])
    def test_no_splat_format(self, tmp_path: Path, content: bytes) -> None:
        (tmp_path / "a.ply").write_bytes(content)
        with pytest.raises(BenchDataError, match="none of PLY"):
            read_splats(tmp_path / "a.ply")

    def test_a_folder(self, tmp_path: Path) -> None:
        with pytest.raises(BenchDataError, match="without meta.json"):
            read_splats(tmp_path)

    @pytest.mark.parametrize("name", ["a", "a.obj", "a.ksplat", "ply"])
    def test_a_name_of_no_format(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(BenchDataError, match="the name must end in"):
            write_splats(random_cloud(1), tmp_path / name)

    def test_a_failed_write_leaves_the_old_file(self, tmp_path: Path) -> None:
        (tmp_path / "a.ply").write_bytes(b"old")
        with pytest.raises(BenchDataError, match="the encoding must be"):
            write_splats(random_cloud(1), tmp_path / "a.ply", ply_encoding="binary")  # type: ignore[arg-type]
        assert (tmp_path / "a.ply").read_bytes() == b"old"
        assert [path.name for path in tmp_path.iterdir()] == ["a.ply"]
        with pytest.raises(BenchDataError, match="cannot write"):
            write_splats(random_cloud(1), tmp_path / "none" / "a.ply")

    def test_settings_of_other_formats(self, tmp_path: Path) -> None:
        write_splats(random_cloud(3, 0), tmp_path / "a.splat")
        with pytest.raises(BenchDataError, match="activated=True is for PLY"):
            read_splats(tmp_path / "a.splat", activated=True)
        with pytest.raises(BenchDataError, match="spz_axes"):
            read_splats(tmp_path / "a.splat", spz_axes="ruf")  # type: ignore[arg-type]
        with pytest.raises(BenchDataError, match="max_gaussians"):
            read_splats(tmp_path / "a.splat", max_gaussians=0)


class TestOtherPrograms:
    def test_gsply_reads_what_is_written(self, tmp_path: Path) -> None:
        gsply = pytest.importorskip("gsply")
        cloud = random_cloud(30)
        write_splats(cloud, tmp_path / "a.ply")
        theirs = gsply.plyread(str(tmp_path / "a.ply"))
        assert np.array_equal(theirs.means, cloud.means)
        assert np.array_equal(theirs.quats, cloud.quats_wxyz)
        assert np.array_equal(theirs.sh0, cloud.sh[:, 0])
        assert np.array_equal(theirs.shN, cloud.sh[:, 1:])
        assert np.exp(theirs.scales) == pytest.approx(cloud.scales, rel=1e-5)

    @pytest.mark.parametrize("degree", [0, 1, 2, 3])
    def test_what_gsplat_writes_is_read(self, tmp_path: Path, degree: int) -> None:
        torch = pytest.importorskip("torch")
        exporter = pytest.importorskip("gsplat.exporter")
        cloud = random_cloud(30, degree)
        tensors = [torch.tensor(np.array(a)) for a in (cloud.means, np.log(cloud.scales), cloud.quats_wxyz)]
        logits = torch.logit(torch.tensor(np.array(cloud.opacities)))
        sh0, rest = torch.tensor(np.array(cloud.sh[:, :1])), torch.tensor(np.array(cloud.sh[:, 1:]))
        data = exporter.export_splats(*tensors, logits, sh0, rest, format="ply")
        back = read(tmp_path, data)
        assert back.sh_degree == degree
        assert np.array_equal(back.means, cloud.means)
        assert np.array_equal(back.sh, cloud.sh)
        assert back.opacities == pytest.approx(cloud.opacities, rel=1e-5)
        assert full_covariances(back) == pytest.approx(full_covariances(cloud), rel=1e-4, abs=1e-8)
