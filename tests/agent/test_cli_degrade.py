"""``seeworthy degrade`` on photographs: names, modes, records, replay, and messages that say what to do."""

from __future__ import annotations

import errno
import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from seeworthy.agent.cli.app import build_app
from seeworthy.agent.cli.common import ExitCode, run_app
from seeworthy.bench_data.degrade import DEGRADATION_REGISTRY, degrade, names_on_photographs
from seeworthy.bench_data.degrade.mixtures import RECIPES, degrade_recipe, recipes_from_yaml
from seeworthy.bench_data.images import Picture, load_image

NAMES = [name.value for name in names_on_photographs()]
RECIPE = "foggy:\n  summary: fog\n  parts: {haze: 2, jpeg_compression: [1, 3]}\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a colour, a grey and a deep grey picture, a depth map and a recipe."""
    rng = np.random.default_rng(0)
    ramp = np.linspace(0, 200, 48)[None, :, None] + rng.integers(0, 55, (32, 1, 3))
    Image.fromarray(ramp.astype(np.uint8)).save(tmp_path / "colour.png")
    Image.fromarray(rng.integers(0, 256, (32, 48), dtype=np.uint8)).save(tmp_path / "grey.png")
    Image.fromarray(rng.integers(0, 65536, (32, 48)).astype(np.uint16)).save(tmp_path / "deep.png")
    depth_mm = np.linspace(500, 9000, 48 * 32).reshape(32, 48).astype(np.uint16)
    Image.fromarray(depth_mm).save(tmp_path / "depth.png")
    np.save(tmp_path / "depth.npy", depth_mm.astype(np.float32) / 1000)
    (tmp_path / "recipes.yaml").write_text(RECIPE)
    (tmp_path / "empty.png").write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "argv", ["seeworthy", "degrade", *arguments])
    return int(run_app(build_app()))


def pixels(name: str) -> np.ndarray:
    return load_image(name).image_srgb_u8


def test_one_picture_is_what_degrade_makes(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = Path("colour.png").read_bytes()
    arguments = ("colour.png", "--type", "noise", "--severity", "2", "--seed", "5", "-o", "out.png")
    assert run(*arguments, monkeypatch=monkeypatch) == ExitCode.OK
    expected = degrade(load_image("colour.png"), "noise", severity=2, seed=5).picture
    assert np.array_equal(pixels("out.png"), expected.image_srgb_u8)
    assert Path("colour.png").read_bytes() == before
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "wrote out.png" in captured.err


def test_what_had_to_be_assumed_is_said_once(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("colour.png", "grey.png", "--type", "haze", "--severity", "1,2", "-o", "out")
    assert run(*arguments, monkeypatch=monkeypatch) == ExitCode.OK
    assert capsys.readouterr().err.count("haze: no depth given") == 1


def test_a_mixture_is_what_the_recipe_makes(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("colour.png", "--mix", "night_capture", "--seed", "3", "-o", "out.png", monkeypatch=monkeypatch) == 0
    expected = degrade_recipe(load_image("colour.png"), "night_capture", seed=3).picture
    assert np.array_equal(pixels("out.png"), expected.image_srgb_u8)


def test_own_recipes(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("colour.png", "--recipes", "recipes.yaml", "-o", "all", monkeypatch=monkeypatch) == 0
    assert [file.name for file in Path("all").iterdir()] == ["foggy.png"]
    expected = degrade_recipe(load_image("colour.png"), recipes_from_yaml("recipes.yaml")["foggy"], seed=0).picture
    assert np.array_equal(pixels("all/foggy.png"), expected.image_srgb_u8)
    arguments = ("colour.png", "--recipes", "recipes.yaml", "--mix", "foggy,backlit_motion", "-o", "two")
    assert run(*arguments, monkeypatch=monkeypatch) == 0
    assert sorted(file.name for file in Path("two").iterdir()) == ["backlit_motion.png", "foggy.png"]


def test_everything_into_a_folder(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ("colour.png", "--type", "all", "--severity", "1,bench", "--mix", "all", "-o", "all/of/it")
    assert run(*arguments, monkeypatch=monkeypatch) == 0
    expected = {f"{name}-{level}.png" for name in NAMES for level in (1, "bench")}
    expected |= {f"{name}.png" for name in RECIPES.names()}
    assert {file.name for file in Path("all/of/it").iterdir()} == expected
    bench = degrade(load_image("colour.png"), "low_res", severity="bench", seed=0).picture
    assert np.array_equal(pixels("all/of/it/low_res-bench.png"), bench.image_srgb_u8)


def test_several_pictures_keep_their_names(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("colour.png", "grey.png", "--type", "low_res", "-o", "one", monkeypatch=monkeypatch) == 0
    assert sorted(file.name for file in Path("one").iterdir()) == ["colour.png", "grey.png"]
    arguments = ("colour.png", "grey.png", "--type", "low_res", "--severity", "1,2", "-o", "two")
    assert run(*arguments, monkeypatch=monkeypatch) == 0
    made = sorted(file.relative_to("two").as_posix() for file in Path("two").rglob("*.png"))
    assert made == ["colour/low_res-1.png", "colour/low_res-2.png", "grey/low_res-1.png", "grey/low_res-2.png"]


def test_names_that_are_none_elsewhere_are_changed(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("12:30.png").write_bytes(Path("colour.png").read_bytes())
    Path("a\\b.png").write_bytes(Path("grey.png").read_bytes())
    arguments = ("12:30.png", "a\\b.png", "--type", "low_res", "-o", "out", "--record", "made.json")
    assert run(*arguments, monkeypatch=monkeypatch) == ExitCode.OK
    assert sorted(file.name for file in Path("out").iterdir()) == ["12_30.png", "a_b.png"]
    assert run("12:30.png", "--replay", "made.json", "-o", "again", monkeypatch=monkeypatch) == ExitCode.OK
    assert Path("again/12_30.png").read_bytes() == Path("out/12_30.png").read_bytes()
    arguments = ("12:30.png", "--type", "low_res", "-o", "at 12:31.png", "--record", "one.json")
    assert run(*arguments, monkeypatch=monkeypatch) == ExitCode.OK
    assert Path("at 12:31.png").is_file()


def test_a_folder_is_its_pictures_and_a_bad_one_is_left_out(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(".", "--type", "low_res", "-o", "out", monkeypatch=monkeypatch) == ExitCode.USAGE
    assert sorted(file.name for file in Path("out").iterdir()) == [
        "colour.png", "deep.png", "depth.png", "grey.png",
    ]  # fmt: skip
    error = capsys.readouterr().err
    assert "error: empty.png" in error
    assert "1 of 5 pictures could not be used" in error


class TestModes:
    @pytest.mark.parametrize("kind", ["noise", "haze", "jpeg_compression", "low_light"])
    def test_grey_stays_grey(self, kind: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        assert run("grey.png", "--type", kind, "-o", "out.png", monkeypatch=monkeypatch) == 0
        with Image.open("out.png") as image:
            assert image.mode == "L"
            found = np.asarray(image)
        expected = degrade(load_image("grey.png"), kind, severity=3, seed=0).picture.image_srgb_u8[..., 1]
        assert np.array_equal(found, expected)

    def test_sixteen_bits_become_eight_and_this_is_said(
        self, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert run("deep.png", "--type", "low_res", "-o", "out.png", monkeypatch=monkeypatch) == 0
        with Image.open("out.png") as image:
            assert image.mode == "L"
        assert "16" in capsys.readouterr().err

    @pytest.mark.parametrize("name", ["out.webp", "out.tif", "out.bmp"])
    def test_formats_without_loss_hold_the_pixels(self, name: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        assert run("colour.png", "--type", "noise", "-o", name, monkeypatch=monkeypatch) == 0
        expected = degrade(load_image("colour.png"), "noise", severity=3, seed=0).picture
        assert np.array_equal(pixels(name), expected.image_srgb_u8)

    def test_jpeg_says_that_it_loses(
        self, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert run("colour.png", "--type", "haze", "-o", "out.jpg", monkeypatch=monkeypatch) == 0
        assert "a loss of its own" in capsys.readouterr().err
        expected = degrade(load_image("colour.png"), "haze", severity=3, seed=0).picture
        assert np.abs(pixels("out.jpg").astype(int) - expected.image_srgb_u8).mean() < 4


class TestDepth:
    def expected(self) -> Picture:
        depth_m = np.load("depth.npy")
        return degrade(load_image("colour.png"), "defocus", severity=5, seed=0, depth_m=depth_m).picture

    @pytest.mark.parametrize("file", [("depth.png",), ("depth.npy",), ("depth.png", "--depth-unit-m", "0.001")])
    def test_png_is_millimetres_and_others_are_metres(
        self, file: tuple[str, ...], here: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        arguments = ("colour.png", "--type", "defocus", "--severity", "5", "-o", "out.png", "--depth", *file)
        assert run(*arguments, monkeypatch=monkeypatch) == 0
        assert np.abs(pixels("out.png").astype(int) - self.expected().image_srgb_u8).max() <= 1

    def test_a_folder_of_depth_goes_by_name(
        self, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        Path("depths").mkdir()
        Path("depth.npy").rename("depths/colour.npy")
        arguments = ("colour.png", "grey.png", "--type", "defocus", "--severity", "5", "-o", "out", "--depth", "depths")
        assert run(*arguments, monkeypatch=monkeypatch) == ExitCode.USAGE
        assert "no file grey.png" in capsys.readouterr().err
        Path("depths/colour.npy").rename("depth.npy")
        assert np.array_equal(pixels("out/colour.png"), self.expected().image_srgb_u8)


class TestReplay:
    def make(self, monkeypatch: pytest.MonkeyPatch, *more: str) -> None:
        arguments = ("--type", "noise,haze", "--severity", "2", "--mix", "night_capture", "--record", "made.json")
        assert run(*more, *arguments, "-o", "first", monkeypatch=monkeypatch) == 0

    @pytest.mark.parametrize(
        "more", [("colour.png",), ("colour.png", "grey.png"), ("colour.png", "--depth", "depth.png")]
    )
    def test_files_are_the_same_bytes(self, more: tuple[str, ...], here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.make(monkeypatch, *more)
        assert run(*more, "--replay", "made.json", "-o", "again", monkeypatch=monkeypatch) == 0
        first, again = ({f.relative_to(d): f.read_bytes() for f in Path(d).rglob("*.png")} for d in ("first", "again"))
        assert first == again
        assert len(first) == 3 * sum(name.endswith(".png") for name in more if name != "depth.png")

    def test_a_picture_is_told_by_its_pixels(
        self, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.make(monkeypatch, "colour.png")
        load = load_image("colour.png")
        Image.fromarray(load.image_srgb_u8).save("renamed.tif")
        assert run("renamed.tif", "--replay", "made.json", "-o", "again", monkeypatch=monkeypatch) == 0
        assert Path("again/noise-2.png").read_bytes() == Path("first/noise-2.png").read_bytes()
        assert run("grey.png", "--replay", "made.json", "-o", "again", monkeypatch=monkeypatch) == ExitCode.USAGE
        assert "records nothing of grey.png" in capsys.readouterr().err

    def test_the_record_holds_what_is_needed(self, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.make(monkeypatch, "colour.png")
        results = {entry["output"]: entry for entry in json.loads(Path("made.json").read_text())["results"]}
        assert list(results) == ["noise-2.png", "haze-2.png", "night_capture.png"]
        made = degrade(load_image("colour.png"), "noise", severity=2, seed=0)
        assert results["noise-2.png"]["records"] == [made.record.model_dump(mode="json")]
        assert results["noise-2.png"]["degraded_sha256"] == made.picture.sha256
        assert len(results["night_capture.png"]["records"]) == 3

    def test_the_record_may_lie_with_the_results(self, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        arguments = ("colour.png", "--type", "low_res", "-o", "new", "--record", "new/made.json")
        assert run(*arguments, monkeypatch=monkeypatch) == 0
        assert sorted(file.name for file in Path("new").iterdir()) == ["low_res-3.png", "made.json"]

    def test_a_depth_map_is_asked_for(
        self, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.make(monkeypatch, "colour.png", "--depth", "depth.png")
        assert run("colour.png", "--replay", "made.json", "-o", "again", monkeypatch=monkeypatch) == ExitCode.USAGE
        assert "pass the same one as --depth" in capsys.readouterr().err

    def test_other_pixels_than_recorded_are_a_failure(
        self, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.make(monkeypatch, "colour.png")
        made = json.loads(Path("made.json").read_text())
        made["results"][0]["degraded_sha256"] = "0" * 64
        Path("made.json").write_text(json.dumps(made))
        assert run("colour.png", "--replay", "made.json", "-o", "again", monkeypatch=monkeypatch) == ExitCode.FAILED
        assert "differs from what was recorded" in capsys.readouterr().err

    @pytest.mark.parametrize(
        "name", ["../out.png", "/tmp/out.png", "a/../../out.png", "C:/out.png", "a\\..\\b.png", ""]
    )
    def test_a_record_writes_nowhere_else(
        self, name: str, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.make(monkeypatch, "colour.png")
        made = json.loads(Path("made.json").read_text())
        made["results"][0]["output"] = name
        Path("made.json").write_text(json.dumps(made))
        assert run("colour.png", "--replay", "made.json", "-o", "again", monkeypatch=monkeypatch) == ExitCode.USAGE
        assert "plain relative name" in capsys.readouterr().err
        assert not Path("again").exists()


def test_an_input_is_replaced_only_on_demand(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = Path("colour.png").read_bytes()
    for out in ("colour.png", "./colour.png"):
        assert run("colour.png", "--type", "low_res", "-o", out, monkeypatch=monkeypatch) == ExitCode.USAGE
    assert run("colour.png", "grey.png", "--type", "low_res", "-o", ".", monkeypatch=monkeypatch) == ExitCode.USAGE
    assert "--force" in capsys.readouterr().err
    Path("link.png").hardlink_to("colour.png")
    assert run("colour.png", "--type", "low_res", "-o", "link.png", monkeypatch=monkeypatch) == ExitCode.USAGE
    arguments = ("colour.png", "--type", "low_res", "--depth", "depth.png")
    assert run(*arguments, "-o", "depth.png", monkeypatch=monkeypatch) == ExitCode.USAGE
    assert run(*arguments, "-o", "x.png", "--record", "depth.npy.png", monkeypatch=monkeypatch) == ExitCode.USAGE
    assert Path("colour.png").read_bytes() == before
    assert run("colour.png", "--type", "low_res", "-o", "colour.png", "--force", monkeypatch=monkeypatch) == 0
    assert Path("colour.png").read_bytes() != before


def test_the_list_names_everything(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--list", "--recipes", "recipes.yaml", monkeypatch=monkeypatch) == 0
    text = capsys.readouterr().out
    for name, spec in DEGRADATION_REGISTRY.specs():
        assert f"{name}: {spec.summary}" in text
        assert spec.stage.name.lower() in text
    assert "0.3-0.4" in text, "haze at level 1"
    assert "haze bench, low_res 1 to 2, motion_blur 1 to 2" in text
    assert "foggy: fog" in text


def test_the_list_as_json_has_the_documented_ranges(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--list", "--json", monkeypatch=monkeypatch) == 0
    listed = json.loads(capsys.readouterr().out)
    sheets = {sheet["name"]: sheet for sheet in listed["degradations"]}
    [thickness] = [p for p in sheets["haze"]["parameters"] if p["name"] == "optical_thickness"]
    low, high = thickness["ranges"]["bench"]
    assert 3.5 <= low < 3.6 and 5.9 < high <= 6.0
    assert "reference depth" in thickness["meaning"]
    assert {p["name"] for p in sheets["low_light"]["parameters"] if not p["meaning"]} == set(), "inherited docs count"
    assert {recipe["name"] for recipe in listed["mixtures"]} >= {"night_capture"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "name a picture"),
        (("colour.png",), "-o"),
        (("colour.png", "-o", "x.png"), "say what to do"),
        (("colour.png", "--type", "hase", "-o", "x.png"), "did you mean 'haze'"),
        (("colour.png", "--type", "haze", "--severity", "6", "-o", "x.png"), "severity 6"),
        (("colour.png", "--type", "haze", "--severity", "hard", "-o", "x.png"), "severity 'hard'"),
        (("colour.png", "--type", "haze", "--severity", "1,,2", "-o", "x"), "an item is empty"),
        (("colour.png", "--type", "haze,haze", "-o", "x"), "haze-3 is asked for twice"),
        (("colour.png", "--type", "haze", "--severity", "1,2", "-o", "x.png"), "name a folder"),
        (("colour.png", "--mix", "night_captur", "-o", "x.png"), "did you mean 'night_capture'"),
        (("colour.png", "--mix", "night_capture", "--severity", "2", "-o", "x.png"), "severities of its own"),
        (("colour.png", "--recipes", "none.yaml", "-o", "x.png"), "none.yaml"),
        (("colour.png", "--recipes", "colour.png", "-o", "x.png"), "colour.png"),
        (("missing.png", "--type", "haze", "-o", "x.png"), "missing.png"),
        (("empty.png", "--type", "haze", "-o", "x.png"), "empty.png"),
        (("colour.png", "colour.png", "--type", "haze", "-o", "x"), "given twice"),
        (("colour.png", "--type", "haze", "-o", "x.gif"), "must end in"),
        (("colour.png", "--type", "haze", "-o", "recipes.yaml"), "is a file"),
        (("colour.png", "--type", "haze", "-o", "x.png", "--depth", "grey.png"), "not a depth map"),
        (("colour.png", "--type", "haze", "-o", "x.png", "--depth", "none.png"), "none.png"),
        (("colour.png", "--type", "haze", "-o", "x.png", "--depth-unit-m", "1"), "belongs to --depth"),
        (("colour.png", "--type", "haze", "-o", "x.png", "--depth", "depth.npy", "--depth-unit-m", "-1"), "above 0"),
        (("colour.png", "grey.png", "--type", "haze", "-o", "x", "--depth", "depth.npy"), "name a folder"),
        (("colour.png", "--type", "haze", "-o", "x.png", "--record", "no/such/r.json"), "no folder"),
        (("colour.png", "--type", "haze", "-o", "x.png", "--record", "colour.png"), "name another file"),
        (("colour.png", "--type", "haze", "-o", "x.png", "--json"), "belongs to --list"),
        (("colour.png", "--type", "haze", "-o", "x.png", "--depth", "depth.npy", "--depth-unit-m", "0"), "above 0"),
        (("colour.png", "--type", "haze", "-o", "grey.png/below"), "grey.png is no folder"),
        (("colour.png", "--type", "haze", "-o", "x.png", "--record", os.devnull), "a device"),
        (("", "--type", "haze", "-o", "x.png"), "an input is empty"),
        (("https://example.org/a.png", "--type", "haze", "-o", "x.png"), "nothing is fetched"),
        (("colour.png", "--replay", "recipes.yaml", "-o", "x"), "no file of records"),
        (("colour.png", "--replay", "none.json", "-o", "x"), "none.json"),
        (("colour.png", "--replay", "none.json", "--type", "haze", "-o", "x"), "leave out"),
    ],
)  # fmt: skip
def test_mistakes_are_one_clear_line(
    arguments: tuple[str, ...],
    words: str,
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(*arguments, monkeypatch=monkeypatch) == ExitCode.USAGE
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.err.strip().splitlines()[-1].startswith("error: ")
    assert captured.out == ""
    assert not Path("x.png").exists()


def test_a_full_disk_stops_all_pictures_and_leaves_no_half_one(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def save(image: Image.Image, out: Path, **_: object) -> None:
        out.write_bytes(b"half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Image.Image, "save", save)
    arguments = ("colour.png", "grey.png", "--type", "low_res", "-o", "out", "--record", "out/r.json")
    assert run(*arguments, monkeypatch=monkeypatch) == ExitCode.FAILED
    assert capsys.readouterr().err.strip() == f"error: cannot write out/colour.png: {os.strerror(errno.ENOSPC)}"
    assert list(Path("out").iterdir()) == []


def test_a_record_with_an_impossible_parameter_is_named(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("colour.png", "--type", "noise", "-o", "out", "--record", "r.json")
    assert run(*arguments, monkeypatch=monkeypatch) == ExitCode.OK
    record = json.loads(Path("r.json").read_text())
    record["results"][0]["records"][0]["parameters"]["white_electrons"] = -1
    Path("r.json").write_text(json.dumps(record))
    capsys.readouterr()
    assert run("colour.png", "--replay", "r.json", "-o", "again", monkeypatch=monkeypatch) == ExitCode.USAGE
    [line] = capsys.readouterr().err.strip().splitlines()
    assert "white_electrons" in line
    assert "got -1" in line


def test_two_names_that_collide_are_refused(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("other").mkdir()
    Image.new("RGB", (4, 4)).save("other/Colour.bmp")
    code = run("colour.png", "other/Colour.bmp", "--type", "haze", "-o", "out", monkeypatch=monkeypatch)
    assert code == ExitCode.USAGE
    assert "would be written to one name" in capsys.readouterr().err


def test_two_sensors_in_a_recipe_are_refused_before_anything_is_written(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("bad.yaml").write_text("dark_grain: {parts: {low_light: 2, noise: 2}}")
    assert run("colour.png", "--recipes", "bad.yaml", "-o", "out", monkeypatch=monkeypatch) == ExitCode.USAGE
    assert "both models of the sensor" in capsys.readouterr().err
    assert not Path("out").exists()
