"""``.splat``, compressed PLY, SPZ and SOG: each written, read back, and read by a second package."""

from __future__ import annotations

import gzip
import io
import json
import struct
import sys
import types
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from seeworthy.bench_data.errors import BenchDataError, BenchDataWarning
from seeworthy.bench_data.splats import (
    SH_C0,
    GaussianCloud,
    SplatFormat,
    read_splats,
    sh_colours,
    splat_format,
    write_splats,
)
from tests.bench_data.splats.clouds import full_covariances, random_cloud

# What a format's quantisation costs: mean, log scale, opacity, SH, covariance relative to the largest.
TOLERANCES = {
    "compressed.ply": (6e-3, 5e-3, 0.003, 0.02, 0.02),
    "spz": (2e-4, 0.04, 0.003, 0.07, 0.1),
    "sog": (5e-4, 0.03, 0.003, 0.03, 0.06),
    "splat": (0, 1e-6, 0.003, 0.008, 0.03),
    "splat, cut off instead of rounded": (0, 1e-6, 0.004, 0.016, 0.06),
}


def mild_cloud(count: int = 300, degree: int = 3, seed: int = 0) -> GaussianCloud:
    """View-dependent colours within what SPZ can hold."""
    cloud = random_cloud(count, degree, seed)
    names = ("means", "quats_wxyz", "scales", "opacities")
    return GaussianCloud(**{n: getattr(cloud, n) for n in names}, sh=np.clip(cloud.sh, -0.9, 0.9))


def matched(cloud: GaussianCloud, original: GaussianCloud) -> GaussianCloud:
    """In the order of the original: SOG sorts its rows."""
    distance = np.linalg.norm(cloud.means[None] - original.means[:, None], axis=2)
    order = distance.argmin(axis=1)
    assert len(set(order.tolist())) == len(original)
    return cloud.selected(order)


def assert_close(cloud: GaussianCloud, original: GaussianCloud, kind: str) -> None:
    mean, log_scale, opacity, sh, covariance = TOLERANCES[kind]
    assert np.abs(cloud.means - original.means).max() <= mean
    assert np.abs(np.log(cloud.scales / original.scales)).max() <= log_scale
    assert np.abs(cloud.opacities - original.opacities).max() <= opacity
    shared = min(cloud.sh.shape[1], original.sh.shape[1])
    assert np.abs(cloud.sh[:, :shared] - original.sh[:, :shared]).max() <= sh
    difference = np.abs(full_covariances(cloud) - full_covariances(original)).max(axis=(1, 2))
    assert (difference / np.abs(full_covariances(original)).max(axis=(1, 2))).max() <= covariance


@pytest.mark.parametrize("kind", ["compressed.ply", "spz", "sog"])
@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_every_format_and_degree(tmp_path: Path, kind: str, degree: int) -> None:
    pytest.importorskip("gsply")
    pytest.importorskip("gaussforge")
    cloud = mild_cloud(degree=degree)
    lost = write_splats(cloud, tmp_path / f"a.{kind}")
    assert lost and "rounded" in lost[0]
    assert splat_format(tmp_path / f"a.{kind}") == SplatFormat(kind)
    back = read_splats(tmp_path / f"a.{kind}")
    assert back.sh_degree == degree
    assert back.notes == ()
    assert_close(matched(back, cloud), cloud, kind)
    assert [path.name for path in tmp_path.iterdir()] == [f"a.{kind}"]


def test_instance_ids_are_said_to_be_lost(tmp_path: Path) -> None:
    cloud = random_cloud(20, 0, instances=True)
    for kind in ("splat", "spz"):
        if kind == "spz":
            pytest.importorskip("gsply")
        assert "instance ids are left out" in write_splats(cloud, tmp_path / f"a.{kind}")


@pytest.mark.parametrize(("kind", "limit"), [("spz", 1), ("compressed.ply", 4)])
def test_colours_beyond_the_range_are_said_to_be_cut_off(tmp_path: Path, kind: str, limit: int) -> None:
    pytest.importorskip("gsply")
    pytest.importorskip("gaussforge")
    mild = mild_cloud(20, 1)
    assert not any("cut off" in line for line in write_splats(mild, tmp_path / f"a.{kind}"))
    sh = np.array(mild.sh)
    sh[3, 2, 1], sh[5, 1, 0] = limit * 1.5, -limit * 2
    names = ("means", "quats_wxyz", "scales", "opacities")
    strong = GaussianCloud(**{n: getattr(mild, n) for n in names}, sh=sh)
    lost = write_splats(strong, tmp_path / f"b.{kind}")
    assert f"2 coefficients of view-dependent colour beyond ±{limit} are cut off" in lost
    back = read_splats(tmp_path / f"b.{kind}")
    assert np.abs(back.sh[:, 1:]).max() == pytest.approx(limit, rel=0.02)


def test_an_empty_cloud(tmp_path: Path) -> None:
    write_splats(GaussianCloud.empty(), tmp_path / "a.splat")
    assert len(read_splats(tmp_path / "a.splat")) == 0
    for kind in ("compressed.ply", "spz", "sog"):
        with pytest.raises(BenchDataError, match="an empty cloud cannot be stored"):
            write_splats(GaussianCloud.empty(), tmp_path / f"a.{kind}")


@pytest.mark.parametrize(("package", "kind"), [("gsply", "spz"), ("gsply", "compressed.ply"), ("gaussforge", "sog")])
def test_a_missing_package_is_named(tmp_path: Path, package: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(BenchDataError, match=rf"needs the package {package}; pip install 'seeworthy\[splats\]'"):
        write_splats(random_cloud(3), tmp_path / f"a.{kind}")
    assert list(tmp_path.iterdir()) == []


class TestDotSplat:
    def test_round_trip(self, tmp_path: Path) -> None:
        cloud = random_cloud(50, 2)
        lost = write_splats(cloud, tmp_path / "a.splat")
        assert any("SH degree 2" in line for line in lost)
        back = read_splats(tmp_path / "a.splat")
        assert back.sh_degree == 0
        visible = GaussianCloud(
            **{n: getattr(cloud, n) for n in ("means", "quats_wxyz", "scales", "opacities")},
            sh=np.clip(cloud.sh[:, :1], -0.5 / SH_C0, 0.5 / SH_C0),
        )
        assert_close(back, visible, "splat")

    def test_the_bytes(self, tmp_path: Path) -> None:
        row = struct.pack("<6f8B", 1, 2, 3, 0.1, 0.2, 0.3, 255, 0, 51, 255, 128, 128, 128, 255)
        (tmp_path / "a.splat").write_bytes(row)
        cloud = read_splats(tmp_path / "a.splat")
        assert cloud.means.tolist() == [[1, 2, 3]]
        assert cloud.scales[0] == pytest.approx([0.1, 0.2, 0.3])
        assert sh_colours(cloud.sh, [[0, 0, 1]])[0] == pytest.approx([1, 0, 0.2], abs=1e-6)
        assert cloud.opacities.tolist() == [1]
        assert cloud.quats_wxyz.tolist() == [[0, 0, 0, 1]]
        write_splats(cloud, tmp_path / "b.splat")
        assert (tmp_path / "b.splat").read_bytes() == row

    def test_what_gsplat_writes(self, tmp_path: Path) -> None:
        torch = pytest.importorskip("torch")
        exporter = pytest.importorskip("gsplat.exporter")
        cloud = random_cloud(30, 0)
        tensors = [torch.tensor(np.array(a)) for a in (cloud.means, np.log(cloud.scales), cloud.quats_wxyz)]
        logits = torch.logit(torch.tensor(np.array(cloud.opacities)))
        sh = torch.tensor(np.array(cloud.sh))
        data = exporter.export_splats(*tensors, logits, sh, sh[:, :0], format="splat")
        (tmp_path / "a.splat").write_bytes(data)
        back = matched(read_splats(tmp_path / "a.splat"), cloud)
        assert_close(back, cloud, "splat, cut off instead of rounded")

    @pytest.mark.parametrize("start", [b"\x1f\x8b\x00\x40", b"PK\x00\x40", b"ply?"])
    def test_a_number_that_looks_like_another_format(self, tmp_path: Path, start: bytes) -> None:
        row = start + struct.pack("<5f8B", 2, 3, 0.1, 0.2, 0.3, 255, 0, 51, 255, 255, 128, 128, 128)
        (tmp_path / "a.splat").write_bytes(row)
        assert read_splats(tmp_path / "a.splat").means[0].tolist() == [struct.unpack("<f", start)[0], 2, 3]

    @pytest.mark.parametrize("size", [1, 31, 33, 63])
    def test_cut_off(self, tmp_path: Path, size: int) -> None:
        (tmp_path / "a.splat").write_bytes(b"\1" * size)
        with pytest.raises(BenchDataError, match="no multiple of 32"):
            read_splats(tmp_path / "a.splat")

    def test_rows_that_cannot_be_drawn(self, tmp_path: Path) -> None:
        good = struct.pack("<6f8B", 1, 2, 3, 0.1, 0.2, 0.3, 255, 0, 51, 255, 255, 128, 128, 128)
        zero = struct.pack("<6f8B", 1, 2, 3, 0.1, 0.2, 0.3, 255, 0, 51, 255, 128, 128, 128, 128)
        (tmp_path / "a.splat").write_bytes(good + zero)
        with pytest.warns(BenchDataWarning, match="2 rows, 1 dropped: 1 zero quaternion"):
            assert len(read_splats(tmp_path / "a.splat")) == 1
        with pytest.raises(BenchDataError, match="row 1 has the quaternion 0 0 0 0"):
            read_splats(tmp_path / "a.splat", on_bad="error")


class TestCompressedPly:
    def test_two_packages_read_it_alike(self, tmp_path: Path) -> None:
        gsply = pytest.importorskip("gsply")
        pytest.importorskip("gaussforge")
        cloud = mild_cloud()
        write_splats(cloud, tmp_path / "a.compressed.ply")
        ours, theirs = read_splats(tmp_path / "a.compressed.ply"), gsply.plyread(str(tmp_path / "a.compressed.ply"))
        assert ours.means == pytest.approx(theirs.means, abs=1e-6)
        assert ours.scales == pytest.approx(np.exp(theirs.scales), rel=1e-5)
        assert ours.opacities == pytest.approx(1 / (1 + np.exp(-theirs.opacities)), abs=1e-6)
        assert ours.sh == pytest.approx(np.concatenate([theirs.sh0[:, None], theirs.shN], axis=1), abs=1e-6)
        assert np.abs(np.abs((ours.quats_wxyz * theirs.quats).sum(axis=1)) - 1).max() < 1e-5

    @pytest.mark.parametrize("degree", [0, 3])
    def test_what_gsplat_writes(self, tmp_path: Path, degree: int) -> None:
        torch = pytest.importorskip("torch")
        exporter = pytest.importorskip("gsplat.exporter")
        pytest.importorskip("gaussforge")
        cloud = mild_cloud(degree=degree)
        tensors = [torch.tensor(np.array(a)) for a in (cloud.means, np.log(cloud.scales), cloud.quats_wxyz)]
        logits = torch.logit(torch.tensor(np.array(cloud.opacities)))
        sh = torch.tensor(np.array(cloud.sh))
        data = exporter.export_splats(*tensors, logits, sh[:, :1], sh[:, 1:], format="ply_compressed")
        (tmp_path / "a.ply").write_bytes(data)
        assert splat_format(tmp_path / "a.ply") is SplatFormat.COMPRESSED_PLY
        assert_close(matched(read_splats(tmp_path / "a.ply"), cloud), cloud, "compressed.ply")

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            (b"element chunk 2", b"element chunk 3", "3 chunks for 300 rows"),
            (b"element vertex 300", b"element vertex 900", "2 chunks for 900 rows"),
            (b"element vertex 300", b"element vertex 512", "cut off|not 9, 24 or 45"),
            (b"element sh 300", b"element sh 299", "sh columns"),
            (b"property uchar f_rest_44\n", b"", "sh columns"),
            (b"property float min_x\n", b"property double min_x\n", "other chunk columns"),
            (b"property float max_r\n", b"", "other chunk columns"),
            (b"property uint packed_color\n", b"", "other vertex columns"),
            (b"binary_little_endian", b"binary_big_endian", "binary_big_endian"),
            (b"element sh", b"element hs", "elements"),
        ],
    )
    def test_a_header_that_lies(self, tmp_path: Path, old: bytes, new: bytes, message: str) -> None:
        pytest.importorskip("gsply")
        write_splats(mild_cloud(), tmp_path / "a.compressed.ply")
        data = (tmp_path / "a.compressed.ply").read_bytes()
        assert old in data
        (tmp_path / "b.ply").write_bytes(data.replace(old, new, 1))
        with pytest.raises(BenchDataError, match=message):
            read_splats(tmp_path / "b.ply")


class TestSpz:
    """The axes are the trap: SPZ is right, up, back."""

    def test_the_file_holds_rub(self, tmp_path: Path) -> None:
        pytest.importorskip("gsply")
        gaussforge = pytest.importorskip("gaussforge")
        cloud = mild_cloud()
        write_splats(cloud, tmp_path / "a.spz")
        stored = gaussforge.GaussForge().read((tmp_path / "a.spz").read_bytes(), "spz")["data"]
        means = np.frombuffer(stored["positions"], np.float32).reshape(-1, 3)
        assert means == pytest.approx(cloud.means * [1, -1, -1], abs=2e-4)

    def test_colours_and_shapes_follow_the_turn(self, tmp_path: Path) -> None:
        """Bands whose functions are odd in y or z, but not in both, change sign; the others stay."""
        pytest.importorskip("gsply")
        gaussforge = pytest.importorskip("gaussforge")
        cloud = mild_cloud()
        write_splats(cloud, tmp_path / "a.spz")
        stored = gaussforge.GaussForge().read((tmp_path / "a.spz").read_bytes(), "spz")["data"]
        rest = np.frombuffer(stored["sh"], np.float32).reshape(-1, 15, 3)
        # y, z, x | xy, yz, zz, xz, xx-yy | y(3xx-yy), xyz, y.., z(zz..), x(..), z(xx-yy), x(xx-3yy)
        signs = np.array([-1, -1, 1, -1, 1, 1, -1, 1, -1, 1, -1, -1, 1, -1, 1])
        assert rest == pytest.approx(cloud.sh[:, 1:] * signs[None, :, None], abs=0.07)

    def test_the_option_leaves_the_axes(self, tmp_path: Path) -> None:
        pytest.importorskip("gsply")
        cloud = mild_cloud(degree=1)
        write_splats(cloud, tmp_path / "a.spz", spz_axes="rdf")
        assert_close(read_splats(tmp_path / "a.spz", spz_axes="rdf"), cloud, "spz")
        turned = read_splats(tmp_path / "a.spz")
        assert turned.means == pytest.approx(cloud.means * [1, -1, -1], abs=2e-4)

    def test_version_4(self, tmp_path: Path) -> None:
        gsply = pytest.importorskip("gsply")
        pytest.importorskip("zstandard")
        self.write_version_4(gsply, tmp_path / "a.spz", cloud := mild_cloud(degree=2))
        assert (tmp_path / "a.spz").read_bytes()[:4] == b"NGSP"
        assert_close(read_splats(tmp_path / "a.spz", spz_axes="rdf"), cloud, "spz")

    @pytest.mark.parametrize("cut", [3, 20, 31, 40, 100, 500, 2000, -1])
    def test_version_4_cut_off(self, tmp_path: Path, cut: int) -> None:
        gsply = pytest.importorskip("gsply")
        pytest.importorskip("zstandard")
        self.write_version_4(gsply, tmp_path / "a.spz", mild_cloud())
        (tmp_path / "b.spz").write_bytes((tmp_path / "a.spz").read_bytes()[:cut])
        with pytest.raises(BenchDataError, match="cannot read"):
            read_splats(tmp_path / "b.spz")

    def test_version_4_whose_frames_claim_more_than_the_table(self, tmp_path: Path) -> None:
        """The decompressor allocates what a frame claims before it looks."""
        gsply = pytest.importorskip("gsply")
        zstandard = pytest.importorskip("zstandard")
        self.write_version_4(gsply, tmp_path / "a.spz", mild_cloud(degree=0))
        data = bytearray((tmp_path / "a.spz").read_bytes())
        table = struct.unpack_from("<I", data, 16)[0]
        bomb = zstandard.ZstdCompressor().compress(bytes(1 << 24))
        packed, _ = struct.unpack_from("<QQ", data, table)
        start = table + 16 * data[15]
        data[start : start + packed] = bomb
        struct.pack_into("<Q", data, table, len(bomb))
        (tmp_path / "b.spz").write_bytes(data)
        with pytest.raises(BenchDataError, match="column 0 is cut off or damaged"):
            read_splats(tmp_path / "b.spz")

    @pytest.mark.parametrize(
        ("payload", "message"),
        [
            (b"", "within its header"),
            (b"NGSP" + bytes(8), "within its header"),
            (b"XXXX" + bytes(12), "not SPZ version 2 or 3"),
            (struct.pack("<4sIIBBBB", b"NGSP", 9, 1, 0, 12, 0, 0), "not SPZ version 2 or 3"),
            (struct.pack("<4sIIBBBB", b"NGSP", 1, 1, 0, 12, 0, 0) + bytes(20), "not SPZ version 2 or 3"),
            (struct.pack("<4sIIBBBB", b"NGSP", 3, 1, 4, 12, 0, 0), "SH degree 4"),
            (struct.pack("<4sIIBBBB", b"NGSP", 3, 2**32 - 1, 0, 12, 0, 0), "pass max_gaussians=4294967295"),
            (struct.pack("<4sIIBBBB", b"NGSP", 3, 10**7, 3, 12, 0, 0), "cannot hold the 10000000 rows"),
            (struct.pack("<4sIIBBBB", b"NGSP", 3, 100, 0, 12, 0, 0) + bytes(100), "100 rows need 2016 bytes"),
            (struct.pack("<4sIIBBBB", b"NGSP", 3, 1, 0, 12, 0, 0) + bytes(3 << 20), "more and does not end"),
            (struct.pack("<4sIIBBBB", b"NGSP", 3, 1, 0, 0, 0, 0) + bytes(20), "gsply says"),
        ],
    )
    def test_a_header_that_lies(self, tmp_path: Path, payload: bytes, message: str) -> None:
        pytest.importorskip("gsply")
        (tmp_path / "a.spz").write_bytes(gzip.compress(payload))
        with pytest.raises(BenchDataError, match=message):
            read_splats(tmp_path / "a.spz")

    def test_too_far_away(self, tmp_path: Path) -> None:
        cloud = random_cloud(3).transformed([[1, 0, 0, 3000], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
        with pytest.raises(BenchDataError, match="within 2048 m"):
            write_splats(cloud, tmp_path / "a.spz")

    @staticmethod
    def write_version_4(gsply: Any, path: Path, cloud: GaussianCloud) -> None:
        data = gsply.GSData.from_arrays(
            means=np.array(cloud.means),
            scales=np.log(cloud.scales),
            quats=np.array(cloud.quats_wxyz),
            opacities=np.log(cloud.opacities / (1 - cloud.opacities)),
            sh0=np.array(cloud.sh[:, 0]),
            shN=np.array(cloud.sh[:, 1:]) if cloud.sh_degree else None,
            format="ply",
        )
        gsply.write_spz(str(path), data, version=4)


class TestSog:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        pytest.importorskip("gaussforge")
        write_splats(mild_cloud(), tmp_path / "a.sog")
        folder = tmp_path / "scene"
        with zipfile.ZipFile(tmp_path / "a.sog") as archive:
            archive.extractall(folder)
        return folder

    def test_zip_folder_and_meta_are_one(self, folder: Path) -> None:
        clouds = [read_splats(path) for path in (folder.parent / "a.sog", folder, folder / "meta.json")]
        for cloud in clouds[1:]:
            assert np.array_equal(cloud.means, clouds[0].means)
            assert np.array_equal(cloud.sh, clouds[0].sh)

    def test_two_packages_read_it_alike(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        reader = pytest.importorskip("gsply.sog_reader")
        monkeypatch.setattr(reader, "imagecodecs", webp_by_pillow())
        theirs, ours = reader.sogread(str(folder)), read_splats(folder)
        assert ours.means == pytest.approx(theirs.means, abs=1e-6)
        assert ours.scales == pytest.approx(np.exp(theirs.scales), rel=1e-5)
        assert ours.opacities == pytest.approx(1 / (1 + np.exp(-theirs.opacities)), abs=1e-5)
        assert ours.sh == pytest.approx(np.concatenate([theirs.sh0[:, None], theirs.shN], axis=1), abs=1e-6)
        assert np.abs(np.abs((ours.quats_wxyz * theirs.quats).sum(axis=1)) - 1).max() < 1e-5

    @pytest.mark.parametrize(
        ("path", "value", "message"),
        [
            (("version",), 1, "version of its meta.json"),
            (("version",), None, "version of its meta.json"),
            (("count",), 0, "count of its meta.json"),
            (("count",), "300", "count of its meta.json"),
            (("count",), 300.5, "count of its meta.json"),
            (("count",), 10**9, "the limit is 20,000,000; if that is right, pass max_gaussians=1000000000"),
            (("count",), 5000, "5000 values are claimed"),
            (("means", "mins"), [0, 0], "means.mins"),
            (("means", "mins"), [0, 0, "nan"], "means.mins"),
            (("means", "files"), ["means_l.webp"], "means.files"),
            (("means", "files"), ["means_l.webp", "../means_u.webp"], "means.files.1"),
            (("means", "files"), ["means_l.webp", "/etc/passwd"], "means.files.1"),
            (("means", "files"), ["means_l.webp", ".hidden"], "means.files.1"),
            (("means", "files"), ["means_l.webp", "nothing.webp"], "nothing.webp cannot be opened"),
            (("scales", "codebook"), [0.0] * 255, "scales.codebook"),
            (("sh0", "codebook"), None, "sh0.codebook"),
            (("shN", "bands"), 4, "shN.bands"),
            (("shN", "count"), 0, "shN.count"),
            (("shN", "count"), 60000, "values are claimed"),
            (("shN", "bands"), 1, "shN_centroids.webp has 960x16 pixels"),
            (("quats",), {}, "quats.files"),
        ],
    )
    def test_a_meta_that_lies(self, folder: Path, path: tuple[str, ...], value: object, message: str) -> None:
        meta = json.loads((folder / "meta.json").read_text())
        target = meta
        for key in path[:-1]:
            target = target[key]
        target[path[-1]] = value
        (folder / "meta.json").write_text(json.dumps(meta))
        with pytest.raises(BenchDataError, match=message):
            read_splats(folder)

    @pytest.mark.parametrize("text", ["", "[]", "null", "{", '{"version": 2}', "\xff", "[" * 100_000])
    def test_no_meta(self, folder: Path, text: str) -> None:
        (folder / "meta.json").write_bytes(text.encode("latin-1"))
        with pytest.raises(BenchDataError, match="cannot read scene"):
            read_splats(folder)

    @pytest.mark.parametrize("name", ["means_l", "means_u", "quats", "scales", "sh0", "shN_centroids", "shN_labels"])
    def test_a_damaged_picture_is_an_error_and_not_the_end_of_the_process(self, folder: Path, name: str) -> None:
        picture = folder / f"{name}.webp"
        whole = picture.read_bytes()
        for data in (whole[: len(whole) // 2], whole[:-1], b"", b"RIFF", whole[:30] + bytes(len(whole) - 30)):
            picture.write_bytes(data)
            with pytest.raises(BenchDataError, match=f"{name}.webp is no whole WebP picture"):
                read_splats(folder)

    def test_a_picture_of_another_size(self, folder: Path) -> None:
        from PIL import Image

        for size in ((4, 4), (800, 800)):
            Image.new("RGBA", size).save(folder / "quats.webp", lossless=True)
            with pytest.raises(BenchDataError, match=rf"quats.webp has {size[0]}x{size[1]} pixels, 300 values"):
                read_splats(folder)

    def test_a_damaged_zip(self, folder: Path) -> None:
        data = (folder.parent / "a.sog").read_bytes()
        for cut in (2, 30, 100, len(data) // 2, len(data) - 1):
            (folder.parent / "b.sog").write_bytes(data[:cut])
            with pytest.raises(BenchDataError, match="cannot read .*b.sog"):
                read_splats(folder.parent / "b.sog")

    def test_a_zip_bomb(self, folder: Path) -> None:
        bomb = io.BytesIO()
        with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("meta.json", b" " * (5 << 20))
        (folder.parent / "b.sog").write_bytes(bomb.getvalue())
        with pytest.raises(BenchDataError, match="meta.json is larger than its contents can be"):
            read_splats(folder.parent / "b.sog")

    def test_a_zip_of_something_else(self, tmp_path: Path) -> None:
        with zipfile.ZipFile(tmp_path / "a.sog", "w") as archive:
            archive.writestr("readme.txt", "hello")
        with pytest.raises(BenchDataError, match="0 files named meta.json"):
            read_splats(tmp_path / "a.sog")


def webp_by_pillow() -> types.SimpleNamespace:
    """What gsply wants of imagecodecs, which is not needed for anything else."""
    from PIL import Image

    def webp_decode(data: bytes) -> np.ndarray:
        return np.asarray(Image.open(io.BytesIO(data)).convert("RGBA"))

    return types.SimpleNamespace(webp_decode=webp_decode)
