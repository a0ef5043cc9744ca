# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""adp accl set ... for, pending and restore, on simulated devices."""
import json
import os
import signal
import subprocess
import time

from tap import change_state, equal, field, main, tool, true


def wait_until(holds, seconds=40):
    for _ in range(seconds * 10):
        if holds():
            return
        time.sleep(0.1)
    raise AssertionError(f"not so after {seconds} s")


def test_temporary_setting_restores_itself(cli):
    got = cli.sim("-j", "accl", "set", "sim0", "min_ack_timeout_limit_disabled", "1", "for", "2s").exits(0)
    equal(got.json[0]["restore_after_ms"], 2000)
    equal(field(cli, "min_ack_timeout_limit_disabled"), 1)
    pending = cli.sim("-j", "accl", "pending").exits(0).json
    equal([pending[0]["dev"], pending[0]["fields"][0]["old"]], ["sim0", 0])
    cli.sim("accl", "show", "sim0").shows("set temporarily")
    wait_until(lambda: field(cli, "min_ack_timeout_limit_disabled") == 0)
    wait_until(lambda: not cli.sim("-j", "accl", "pending").json)


def guardians(cli):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/comm", encoding="ascii") as f:
                name = f.read().strip()
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                line = f.read()
        except OSError:
            continue
        if name == "adp-restore" and str(cli.state).encode() in line:
            found.append(int(pid))
    return found


def test_temporary_setting_survives_the_death_of_its_process(cli):
    cli.sim("accl", "set", "sim0", "roce_tx_window_en", "1", "for", "3s").exits(0)
    waiting = guardians(cli)
    equal(len(waiting), 1, "processes that wait")
    os.kill(waiting[0], signal.SIGKILL)
    time.sleep(6)
    cli.sim("accl", "pending").shows("is overdue")
    cli.sim("accl", "set", "sim0", "ack_dscp", "1").exits(0).says("restored roce_tx_window_en, overdue")
    equal(field(cli, "roce_tx_window_en"), 0)


def test_temporary_setting_after_a_reboot(cli):
    cli.sim("accl", "set", "sim0", "roce_tx_window_en", "1", "for", "1h").exits(0)
    for pid in guardians(cli):
        os.kill(pid, signal.SIGKILL)
    entry = next((cli.folder / "state.json.pending").glob("*.json"))
    content = json.loads(entry.read_text())
    content["boot_id"] = "another boot"
    entry.write_text(json.dumps(content))
    cli.sim("accl", "pending").shows("is overdue")
    cli.sim("accl", "restore").exits(0).shows("roce_tx_window_en 1 -> 0")
    equal(field(cli, "roce_tx_window_en"), 0)


def set_dscp(device, value):
    """As another tool would, which knows nothing of the journal."""
    dword = int(device["roce_accl"][1], 16) & ~0xfc00
    device["roce_accl"][1] = f"{dword | value << 10:#010x}"


def test_restore_now_and_leave_what_others_set(cli):
    # More than 2^63 ms in so many words.
    cli.sim("accl", "set", "sim0", "ack_dscp", "10", "for", "100000000d" * 1100).exits(1)
    cli.sim("accl", "set", "sim0", "ack_dscp", "10", "roce_tx_window_en", "1", "for", "1h").exits(0)
    change_state(cli, lambda s: set_dscp(s["devices"][0], 20))
    cli.sim("accl", "set", "sim0", "roce_tx_window_en", "0", "for", "1h").exits(1).says("temporarily already")
    cli.sim("accl", "restore", "sim0").exits(0).shows("roce_tx_window_en 1 -> 0", "ack_dscp is 20 now")
    equal([field(cli, "roce_tx_window_en"), field(cli, "ack_dscp")], [0, 20])
    cli.sim("accl", "restore").exits(0).says("no temporary setting")
    for pid in guardians(cli):
        os.kill(pid, signal.SIGKILL)


def test_temporary_setting_whose_read_back_fails_is_restored_all_the_same(cli):
    cli.sim("accl", "show", "sim0").exits(0)
    change_state(cli, lambda s: s["devices"][0].update(faults="reg=0x402c,rw=r,skip=2,count=2,status=6"))
    cli.sim("accl", "set", "sim0", "roce_tx_window_en", "1", "for", "2s").exits(2)
    equal(len(cli.sim("-j", "accl", "pending").json), 1, "entries")
    wait_until(lambda: not cli.sim("-j", "accl", "pending").json)
    equal(field(cli, "roce_tx_window_en"), 0)


def test_temporary_setting_with_a_relative_state_file(cli):
    run = lambda *words: cli.run("--sim=nic.json", "-j", *words, cwd=cli.folder)
    run("accl", "set", "sim0", "roce_tx_window_en", "1", "for", "1s").exits(0)
    wait_until(lambda: run("accl", "show", "sim0").json[0]["fields"]["roce_tx_window_en"] == 0)


def test_dry_run_of_a_restore(cli):
    cli.sim("accl", "set", "sim0", "roce_tx_window_en", "1", "for", "1h").exits(0)
    cli.sim("accl", "restore", options=["-n"]).exits(0).shows("nothing was written")
    equal(field(cli, "roce_tx_window_en"), 1)
    equal(len(cli.sim("-j", "accl", "pending").json), 1, "entries")
    cli.sim("accl", "restore").exits(0)
    equal(field(cli, "roce_tx_window_en"), 0)


def test_a_simulated_device_by_name_alone_has_no_temporary_settings(cli):
    got = cli.run("accl", "set", "sim0", "roce_tx_window_en", "1", "for", "1s").exits(1)
    got.says("--sim=STATEFILE")


def test_pending_takes_the_words_for_devices(cli):
    cli.sim("accl", "show", "sim0").exits(0)
    cli.sim("accl", "pending", "nothing0").exits(2).says("nothing0")
    cli.sim("accl", "restore", "x/../y").exits(1)
    cli.sim("accl", "pending", "sim*").exits(0)


def test_temporary_setting_leaves_the_callers_locks_alone(cli):
    script = (f"exec 9>{cli.folder}/mine; flock 9; "
              f"{cli.tool} --sim={cli.state} accl set sim0 roce_tx_window_en 1 for 1h")
    subprocess.run(["/bin/bash", "-c", script], env=cli.env, check=True, stdout=subprocess.DEVNULL)
    free = subprocess.run(["flock", "-n", f"{cli.folder}/mine", "true"], check=False)
    equal(free.returncode, 0, "the script's lock is free")
    cli.sim("accl", "restore").exits(0)


def test_a_restore_waits_for_another_temporary_setting(cli):
    """Else the other one would keep the temporary value as the old one."""
    cli.sim("accl", "set", "sim0", "roce_tx_window_en", "1", "for", "1h").exits(0)
    journal = cli.folder / "state.json.pending"
    with subprocess.Popen(["flock", "-o", journal / ".0000:1a:00.0.lock", "sleep", "30"]) as holder:
        time.sleep(0.5)
        with tool(cli, "accl", "restore") as process:
            time.sleep(1)
            equal(process.poll(), None, "it waits")
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=20)
        true(b"interrupted" in err, err)
        equal([field(cli, "roce_tx_window_en"), len(list(journal.glob("*.json")))], [1, 1])
        with tool(cli, "accl", "restore") as process:
            time.sleep(1)
            next(journal.glob("*.json")).unlink()  # the other one has restored it
            holder.kill()
            out, _ = process.communicate(timeout=20)
    true(b"restored already" in out, out)
    equal(field(cli, "roce_tx_window_en"), 1, "not written by this one")


def test_foreign_files_in_the_journal_are_left_alone(cli):
    cli.sim("accl", "set", "sim0", "roce_tx_window_en", "1", "for", "1h").exits(0)
    journal = cli.folder / "state.json.pending"
    for number, text in enumerate(('{"format": 7}', '{"format": "adp-pending", "version": "x"}', "[1]", "{", "")):
        (journal / f"foreign{number}.json").write_text(text)
    equal(len(cli.sim("-j", "accl", "pending").exits(0).json), 1, "entries")
    cli.sim("accl", "show", "sim0").exits(0).shows("set temporarily")
    cli.sim("accl", "restore").exits(0).shows("roce_tx_window_en 1 -> 0")
    equal(len(list(journal.glob("foreign*.json"))), 5, "they are there")


def test_bad_durations(cli):
    for text in ("", "0s", "10", "ten", "-5s", "5y", "99999999999s"):
        cli.sim("accl", "set", "sim0", "roce_tx_window_en", "1", "for", text).exits(1).says("duration")
    cli.sim("accl", "set", "sim0", "roce_tx_window_en", "1", "for").exits(1)
    cli.sim("accl", "set", "sim0", "adp_retx_profile_id", "1", "for", "1m").exits(1).says("profile")
    true(not cli.state.exists(), "nothing was touched")


def test_a_signal_while_it_is_written_does_not_cost_the_restore(cli):
    cli.sim("accl", "show", "sim0").exits(0)
    change_state(cli, lambda s: s["devices"][0].update(faults="reg=0x402c,rw=w,count=1,delay_ms=5000"))
    with tool(cli, "accl", "set", "sim0", "roce_tx_window_en", "1", "for", "8s") as process:
        wait_until(lambda: list((cli.folder / "state.json.pending").glob("*.json")))
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    equal(process.returncode, -signal.SIGINT)
    equal(len(cli.sim("-j", "accl", "pending").json), 1, "entries")
    wait_until(lambda: not cli.sim("-j", "accl", "pending").json)
    equal(field(cli, "roce_tx_window_en"), 0)


def test_nobody_waits_for_what_was_not_written(cli):
    cli.sim("accl", "show", "sim0").exits(0)
    change_state(cli, lambda s: s["devices"][0].update(faults="reg=0x402c,rw=w,status=3"))
    cli.sim("accl", "set", "sim0", "roce_tx_window_en", "1", "for", "1h").exits(2).says("nothing was changed")
    equal(cli.sim("-j", "accl", "pending").json, [])
    wait_until(lambda: not guardians(cli))


def test_a_restore_that_cannot_be_is_tried_again(cli):
    cli.sim("accl", "set", "sim0", "roce_tx_window_en", "1", "for", "4s").exits(0)
    journal = cli.folder / "state.json.pending"
    journal.chmod(0o777)  # not trusted
    time.sleep(6)
    cli.sim("accl", "pending").says("everybody can write to it; not taken for a temporary setting")
    equal(field(cli, "roce_tx_window_en"), 1)
    journal.chmod(0o755)
    wait_until(lambda: field(cli, "roce_tx_window_en") == 0)


def test_a_setting_for_good_stays(cli):
    cli.sim("accl", "set", "sim0", "roce_tx_window_en", "1", "ack_dscp", "9", "for", "10s").exits(0)
    got = cli.sim("-j", "accl", "set", "sim0", "roce_tx_window_en", "1", options=["-n"]).exits(0)
    equal(got.json[0]["no_longer_temporary"], ["roce_tx_window_en"])
    equal(len(cli.sim("-j", "accl", "pending").json[0]["fields"]), 2, "a dry run changes nothing")
    got = cli.sim("accl", "set", "sim0", "roce_tx_window_en", "1").exits(0)
    got.shows("roce_tx_window_en was set temporarily: it is not restored any more")
    wait_until(lambda: field(cli, "ack_dscp") == 0)
    equal([field(cli, "roce_tx_window_en"), cli.sim("-j", "accl", "pending").json], [1, []])
    cli.sim("profile", "disable", "sim0").exits(0)
    cli.sim("accl", "set", "sim0", "roce_adp_retrans_en", "1", "for", "1h").exits(0)
    got = cli.sim("-j", "profile", "enable", "sim0").exits(0)
    equal(got.json[0]["no_longer_temporary"], ["roce_adp_retrans_en"])
    equal(cli.sim("-j", "accl", "pending").json, [])


def test_a_device_that_keeps_nothing_has_no_temporary_settings(cli):
    report = cli.folder / "report.json"
    cli.sim("report", "file", report).exits(0)
    for state in ("preset:full", report):
        got = cli.run(f"--sim={state}", "accl", "set", "sim0", "roce_tx_window_en", "1", "for", "1s").exits(1)
        got.says("--sim=STATEFILE")
    equal([p.name for p in cli.folder.iterdir() if "pending" in p.name], [])


def test_a_journal_of_others_is_not_taken(cli):
    cli.sim("accl", "set", "sim0", "roce_tx_window_en", "1", "for", "1h").exits(0)
    entry = next((cli.folder / "state.json.pending").glob("*.json"))
    content = json.loads(entry.read_text())
    # What an entry says of the device beyond its address has no effect.
    content |= {"sim": False, "sim_state": str(cli.folder / "planted")}
    entry.write_text(json.dumps(content))
    cli.sim("accl", "restore", options=["-n"]).exits(0).shows("roce_tx_window_en 1 -> 0")
    true(not (cli.folder / "planted").exists(), "no other state is made")
    entry.chmod(0o666)
    cli.sim("accl", "restore").exits(0).says("everybody can write to it; not taken", "no temporary setting")
    equal(field(cli, "roce_tx_window_en"), 1)
    entry.chmod(0o644)
    cli.sim("accl", "restore").exits(0)
    (cli.folder / "state.json.pending").chmod(0o777)
    got = cli.sim("accl", "set", "sim0", "roce_tx_window_en", "1", "for", "1h").exits(2)
    got.says("journal of temporary settings", "everybody can write to it")
    equal(field(cli, "roce_tx_window_en"), 0)


def test_each_function_of_a_bond_that_is_none_any_more_is_restored(cli):
    cli.file("state.json", json.dumps({"format": "adp-sim-state", "version": 1, "preset": "bond"}))
    cli.sim("accl", "set", "sim0", "roce_tx_window_en", "1", "for", "1h").exits(0)
    equal(cli.sim("-j", "accl", "pending").json[0]["pci"], ["0000:1a:00.0", "0000:1a:00.1"])
    change_state(cli, lambda s: s["devices"][1].update(ibdev="sim1"))
    equal([field(cli, "roce_tx_window_en", dev) for dev in ("sim0", "sim1")], [1, 1])
    cli.sim("accl", "show", "sim1").exits(0).shows("set temporarily")
    cli.sim("accl", "restore").exits(0).shows("0000:1a:00.0: roce_tx_window_en 1 -> 0",
                                              "0000:1a:00.1: roce_tx_window_en 1 -> 0")
    equal([field(cli, "roce_tx_window_en", dev) for dev in ("sim0", "sim1")], [0, 0])
    equal(cli.sim("-j", "accl", "pending").json, [])


if __name__ == "__main__":
    main()
