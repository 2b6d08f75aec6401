"""Guarded processes: blocks of runs, limits, deaths, and what a learner leaves behind."""

import os
import pickle
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import numpy as np
import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from bestofk.data import from_arrays
from bestofk.errors import RunError
from bestofk.evaluation.guarded import child as guarded_child
from bestofk.evaluation.guarded.guard import GuardedProcess
from bestofk.evaluation.guarded.limits import Limits
from bestofk.evaluation.guarded.process_tree import processes_of
from bestofk.evaluation.queue.worker import FitJob, Job, Payload, PayloadFile
from bestofk.learners.learner import Learner
from bestofk.resampling import make_plan

MB = 1_000_000
DATA = from_arrays(np.arange(80.0).reshape(40, 2) % 7, np.arange(40) % 2)
PLAN = make_plan(DATA, "10x2")
on_linux = pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(), reason="needs the memory figures of Linux"
)


def acting(action):
    """Return a learner that does something in every fit, of a class that only its pickle has."""

    class Acting(ClassifierMixin, BaseEstimator):
        def __init__(self, action=None):
            self.action = action

        def fit(self, X, y):
            self.classes_ = np.unique(y)
            self.given_ = self.action()
            return self

        def predict(self, X):
            return np.repeat(self.classes_[0], len(X))

    return Acting(action)


@pytest.fixture
def guarded():
    """Return what starts a guarded process for some learners, or actions of learners."""
    with ExitStack() as stack:

        def start(*learners, **limits):
            estimators = [item if hasattr(item, "fit") else acting(item) for item in learners]
            runnable = tuple(
                Learner(f"learner {i}", estimator) for i, estimator in enumerate(estimators)
            )
            file = stack.enter_context(closing(PayloadFile(Payload(DATA, PLAN, runnable))))
            return stack.enter_context(closing(GuardedProcess(file, Limits(**limits))))

        yield start


def jobs_of(*learner_indices):
    return [Job(index, 1, 0, 7) for index in learner_indices]


def statuses(records):
    return [record.status for record in records]


def number_of(guard):
    """Return the number of the process that does runs of a guard."""
    return guard._child._process._number


def wait_until(is_so, seconds=60):
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.02)


def test_records_of_a_block_are_those_of_this_process():
    estimators = GaussianNB(), DecisionTreeClassifier(max_features=1), acting(lambda: 1 / 0)
    runnable = [Learner(f"learner {i}", estimator) for i, estimator in enumerate(estimators)]
    payload = Payload(DATA, PLAN, tuple(runnable))

    @settings(max_examples=10)
    @given(st.lists(st.builds(Job, *(st.integers(0, n) for n in (2, 9, 1, 9))), max_size=6))
    def check(jobs):
        for job, record in zip(jobs, guard.run_block(jobs), strict=True):
            here = payload.run(job)
            kept = ("status", "message", "complexity", "fit_mode")
            assert [getattr(record, x) for x in kept] == [getattr(here, x) for x in kept]
            for a, b in zip(record.predictions or (), here.predictions or (), strict=True):
                np.testing.assert_array_equal(a, b)

    with closing(PayloadFile(payload)) as file, closing(GuardedProcess(file)) as guard:
        check()


def test_a_record_is_there_before_the_next_run_is_done(guarded, tmp_path):
    def wait():
        while not (tmp_path / "go on").exists():
            time.sleep(0.01)

    records = guarded(GaussianNB(), wait, seconds=60).run_block(jobs_of(0, 1, 0))
    assert next(records).status == "ok"
    (tmp_path / "go on").touch()
    assert statuses(records) == ["ok", "ok"]


def test_a_run_that_takes_too_long_costs_its_own_record(guarded):
    guard = guarded(GaussianNB(), lambda: time.sleep(60), seconds=0.5)
    records = list(guard.run_block(jobs_of(0, 1, 0)))
    assert statuses(records) == ["ok", "timeout", "ok"]
    assert records[1].message == "ended after 0.5 s (timeout)"
    assert 0.5 <= records[1].train_seconds < 30


def test_seconds_are_those_of_a_run_not_of_a_block(guarded):
    guard = guarded(lambda: time.sleep(0.6), seconds=1.5)
    assert statuses(guard.run_block(jobs_of(0, 0, 0, 0))) == ["ok"] * 4


def test_a_run_that_ends_its_process_costs_its_own_record(guarded):
    guard = guarded(GaussianNB(), lambda: os._exit(3), lambda: os.kill(os.getpid(), signal.SIGSEGV))
    records = list(guard.run_block(jobs_of(0, 1, 2, 0)))
    assert statuses(records) == ["ok", "error", "error", "ok"]
    assert records[1].message == "the process of the run died (exit code 3)"
    assert records[2].message == "the process of the run died (signal SIGSEGV)"


def test_an_interruption_that_a_learner_raises_is_an_error_of_its_run(guarded):
    def interrupt():
        raise KeyboardInterrupt

    records = list(guarded(interrupt, GaussianNB()).run_block(jobs_of(0, 0, 1)))
    assert statuses(records) == ["error", "error", "ok"]
    assert records[0].message == "the run raised KeyboardInterrupt"


def counting(tmp_path, name, act):
    """Return an action that leaves a file each time, in processes of any number."""

    def count():
        (tmp_path / f"{name}-{time.time_ns()}").touch()
        act(len(list(tmp_path.glob(f"{name}-*"))))

    return count


@pytest.mark.parametrize(("n_kills", "status"), [(2, "ok"), (3, "error")])
def test_a_run_whose_process_is_killed_is_blamed_after_three_tries(
    guarded, tmp_path, n_kills, status
):
    def kill(n_tries):
        if n_tries <= n_kills:
            os.kill(os.getpid(), signal.SIGKILL)

    guard = guarded(GaussianNB(), counting(tmp_path, "killed", kill))
    records = list(guard.run_block(jobs_of(0, 1, 0)))
    assert statuses(records) == ["ok", status, "ok"]
    said = "the process of the run died (signal SIGKILL), in each of 3 tries"
    assert records[1].message == (said if status == "error" else "")
    assert len(list(tmp_path.iterdir())) == 3


def test_a_run_is_not_blamed_for_what_an_earlier_one_left_behind(guarded):
    def leave_a_bomb():
        import threading

        threading.Timer(0.5, os._exit, [9]).start()

    guard = guarded(leave_a_bomb, lambda: time.sleep(1.5))
    assert statuses(guard.run_block(jobs_of(0, 1))) == ["ok", "ok"]


def test_what_is_abandoned_is_ended_and_the_next_block_begins_anew(guarded, tmp_path):
    guard = guarded(counting(tmp_path, "run", lambda n: time.sleep(60 if n == 2 else 0)))
    records = guard.run_block(jobs_of(0, 0))
    assert next(records).status == "ok"
    number = number_of(guard)
    wait_until(lambda: len(list(tmp_path.iterdir())) == 2)
    assert statuses(guard.run_block(jobs_of(0, 0))) == ["ok", "ok"]  # `records` is still there
    assert not psutil.pid_exists(number)
    records.close()
    assert guard.is_there()


def test_a_second_answer_to_a_run_is_a_failed_run(guarded):
    def answer_twice():
        frame = sys._getframe()
        while "pipe" not in frame.f_locals:
            frame = frame.f_back
        frame.f_locals["pipe"].send_bytes(pickle.dumps((7, 0, None)))

    (record,) = guarded(answer_twice).run_block(jobs_of(0))
    assert record.status == "error"
    assert record.message == (
        "the process of the run must answer once; got a second answer to run 7 of it in place of "
        "one to run 1"
    )


def test_jobs_of_another_kind_give_what_they_give_or_raise(guarded):
    fitted = guarded(lambda: 42, seconds=60).answer(FitJob(3), timeout=None)
    assert fitted.given_ == 42
    guard = guarded(lambda: time.sleep(60))
    with pytest.raises(TimeoutError):
        guard.answer(FitJob(3), timeout=0.5)
    guard = guarded(lambda: os._exit(3))
    with pytest.raises(ChildProcessError, match=r"died \(exit code 3\)"):
        guard.answer(FitJob(3), timeout=None)


def test_data_that_cannot_be_loaded_are_an_error(tmp_path):
    with (
        closing(GuardedProcess(tmp_path / "nowhere")) as guard,
        pytest.raises(RunError, match=r"must load data and learners; it died \(exit code 1"),
    ):
        guard.wait()


def test_a_run_under_which_the_process_is_killed_by_another_is_done_again(guarded, tmp_path):
    guard = guarded(counting(tmp_path, "run", lambda n: time.sleep(60 if n == 1 else 0)))
    records = guard.run_block(jobs_of(0))
    with ThreadPoolExecutor(1) as pool:
        result = pool.submit(next, records)
        wait_until(lambda: list(tmp_path.iterdir()))
        os.kill(number_of(guard), signal.SIGKILL)
        assert result.result().status == "ok"


def test_a_template_that_is_killed_is_started_again(guarded):
    guard = guarded(GaussianNB())
    guard.wait()
    guarded_child._templates[os.getpid()].end(0.0)
    assert statuses(guard.run_block(jobs_of(0))) == ["ok"]


# Memory


def taking(n_bytes):
    return lambda: np.ones(n_bytes, dtype=np.uint8).sum()


@on_linux
def test_memory_above_the_limit_is_refused_at_once(guarded):
    guard = guarded(GaussianNB(), taking(400 * MB), taking(80 * MB), n_bytes=200 * MB)
    records = list(guard.run_block(jobs_of(1, 2, 0)))
    assert statuses(records) == ["memory", "ok", "ok"]
    message = records[0].message
    assert message.startswith("fit needed more memory than the limit of 200 MB: ")
    assert "Unable to allocate 381. MiB" in message
    assert records[0].peak_bytes < 50 * MB  # nothing was given
    assert 75 * MB < records[1].peak_bytes < 110 * MB


@on_linux
def test_without_a_limit_a_learner_that_runs_out_of_memory_is_an_error(guarded):
    def run_out():
        raise MemoryError("made up")

    (record,) = guarded(run_out).run_block(jobs_of(0))
    assert (record.status, record.message) == ("error", "fit raised MemoryError: made up")
    (record,) = guarded(run_out, n_bytes=10**12).run_block(jobs_of(0))
    assert record.status == "memory"


@on_linux
def test_what_grows_in_small_pieces_is_ended(guarded):
    def grow():
        pieces = []
        while True:
            pieces.append(b"1" * 100_000)

    (record,) = guarded(grow, n_bytes=150 * MB, seconds=60).run_block(jobs_of(0))
    assert record.status == "memory"
    assert 120 * MB < record.peak_bytes < 200 * MB


@on_linux
def test_a_mapped_file_does_not_count(guarded, tmp_path):
    np.ones(150 * MB, dtype=np.uint8).tofile(tmp_path / "mapped")

    def read():
        mapped = np.memmap(tmp_path / "mapped", mode="r")
        for _ in range(4):
            assert mapped.sum(dtype=np.int64) == 150 * MB
            time.sleep(0.1)

    assert statuses(guarded(read, n_bytes=100 * MB).run_block(jobs_of(0))) == ["ok"]


def test_memory_of_a_process_that_a_learner_starts_counts_and_it_is_ended(guarded, tmp_path):
    def start_another():
        source = "import os, time; print(os.getpid()); x = b'1' * 300_000_000; time.sleep(60)"
        with (tmp_path / "number").open("w") as file:
            subprocess.run([sys.executable, "-uc", source], stdout=file, check=False)

    guard = guarded(GaussianNB(), start_another, n_bytes=250 * MB, seconds=50)
    records = list(guard.run_block(jobs_of(1, 0)))
    assert statuses(records) == ["memory", "ok"]
    assert records[0].message.startswith("needed more memory than the limit of 250 MB (peak ")
    assert 250 * MB < records[0].peak_bytes < 400 * MB
    number = int((tmp_path / "number").read_text())
    wait_until(lambda: not psutil.pid_exists(number))


@on_linux
def test_memory_that_forked_processes_share_counts_once(guarded):
    def fork():
        held = np.ones(100 * MB, dtype=np.uint8)
        children = []
        for _ in range(4):
            children.append(os.fork())
            if children[-1] == 0:
                time.sleep(1.0)
                os._exit(0)
        for child in children:
            os.waitpid(child, 0)
        return held[0]

    (record,) = guarded(fork, n_bytes=200 * MB).run_block(jobs_of(0))
    assert record.status == "ok", record.message


@on_linux
def test_what_runs_left_behind_counts_against_none_of_the_next(guarded):
    def leak():
        import builtins

        builtins.leaked = [*getattr(builtins, "leaked", []), np.ones(60 * MB, dtype=np.uint8)]

    guard = guarded(leak, n_bytes=150 * MB)
    assert statuses(guard.run_block(jobs_of(0, 0, 0, 0, 0))) == ["ok"] * 5


def test_all_that_a_run_started_ends_with_it(guarded, tmp_path):
    def start_another():
        process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        (tmp_path / "number").write_text(str(process.pid))
        time.sleep(60)

    guard = guarded(start_another, seconds=2.0)
    assert statuses(guard.run_block(jobs_of(0))) == ["timeout"]
    number = int((tmp_path / "number").read_text())
    wait_until(lambda: not psutil.pid_exists(number))


# Each learner has a process


def test_a_learner_that_changes_a_class_changes_no_other(guarded):
    def patch():
        GaussianNB.predict = lambda self, X: np.full(len(X), self.classes_[0])

    alone = next(guarded(GaussianNB()).run_block(jobs_of(0)))
    assert alone.predictions.labels.any()
    guard = guarded(patch, GaussianNB())
    for record in list(guard.run_block(jobs_of(0, 1, 0, 1)))[1::2]:
        assert record.is_isolated
        np.testing.assert_array_equal(record.predictions.labels, alone.predictions.labels)
    record = next(guarded(GaussianNB()).run_block(jobs_of(0)))
    np.testing.assert_array_equal(record.predictions.labels, alone.predictions.labels)


def test_runs_of_one_learner_share_a_process_within_a_call(guarded):
    first, second = guarded(os.getpid, GaussianNB()), guarded(os.getpid)
    numbers = [guard.answer(FitJob(0), timeout=None).given_ for guard in (first, second, first)]
    assert numbers[0] == numbers[2] != numbers[1]


@pytest.mark.slow
@on_linux
def test_the_template_has_one_thread_and_ran_no_numerical_code(guarded):
    guarded(GaussianNB()).wait()
    number = guarded_child._templates[os.getpid()].root
    assert len(os.listdir(f"/proc/{number}/task")) == 1
    source = """if True:
        import numpy, os, sys
        from sklearn.ensemble import HistGradientBoostingClassifier
        sys.argv = ["", "0", "0", ""]
        from bestofk.evaluation.guarded import processes as template
        for module in (numpy, numpy.linalg):
            for name in ("dot", "matmul", "solve", "svd", "inv"):
                if hasattr(module, name):
                    setattr(module, name, None)
        with template.runs_here():
            print(len(os.listdir("/proc/self/task")))
    """
    environment = os.environ | {"OMP_NUM_THREADS": "4", "OPENBLAS_NUM_THREADS": "1"}
    environment["JE_ARROW_MALLOC_CONF"] = "background_thread:false"
    result = subprocess.run(
        [sys.executable, "-c", source], env=environment, capture_output=True, text=True, check=True
    )
    assert result.stdout == "1\n"  # a region of OpenMP would have left four


@on_linux
def test_learners_whose_loading_begins_threads_are_loaded_by_each_process(guarded):
    class Loaded:
        def __init__(self):
            self.number = 0

        def __call__(self):
            return self.number

        def __setstate__(self, state):
            import threading
            import time

            self.number = os.getpid()
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()

    guard = guarded(Loaded(), lambda: 7)
    fitted = guard.answer(FitJob(0), timeout=None)
    assert fitted.given_ > 0
    number = number_of(guard)
    assert statuses(guard.run_block(jobs_of(1, 0))) == ["ok", "ok"]
    assert not psutil.pid_exists(number)


def leave_descriptors(folder):
    files = [os.open(os.devnull, os.O_RDONLY) for _ in range(10_000)]
    (folder / "first").write_text(str(len(files)))


def leave_threads(folder):
    import threading

    for _ in range(20):
        threading.Thread(target=time.sleep, args=(60,)).start()
    (folder / "first").write_text("20")


def leave_a_session(folder):
    source = "import os, time; os.setsid(); os.fork(); time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", source], start_new_session=True)
    (folder / "first").write_text(str(process.pid))


def leave_a_daemon(folder):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.setpgid(0, 0)
            (folder / "first").write_text(str(os.getpid()))
            time.sleep(60)
        os._exit(0)
    wait_until((folder / "first").exists)


@on_linux
@pytest.mark.parametrize(
    "leave", [leave_descriptors, leave_threads, leave_a_session, leave_a_daemon]
)
def test_what_a_learner_leaves_behind_ends_with_it(guarded, tmp_path, leave):
    import resource

    def look():
        import threading

        return len(os.listdir("/proc/self/fd")), threading.active_count()

    if leave is leave_descriptors and resource.getrlimit(resource.RLIMIT_NOFILE)[0] < 11_000:
        pytest.skip("the system allows fewer descriptors")
    usual = guarded(look).answer(FitJob(0), timeout=None).given_
    guard = guarded(lambda: leave(tmp_path), lambda: (tmp_path / "seen").write_text(str(look())))
    guard.wait()
    keeper = guard._source.number
    assert statuses(guard.run_block(jobs_of(0, 1))) == ["ok", "ok"]
    assert (tmp_path / "seen").read_text() == str(usual)
    assert processes_of(keeper) == [keeper, number_of(guard)]
    guard.close()
    wait_until(lambda: not processes_of(keeper))


@on_linux
def test_memory_of_a_process_that_detaches_itself_counts(guarded, tmp_path):
    def start_another():
        source = "x = b'1' * 300_000_000; import time; time.sleep(60)"
        subprocess.Popen([sys.executable, "-c", source], start_new_session=True)
        time.sleep(60)

    guard = guarded(start_another, n_bytes=250 * MB, seconds=50)
    assert statuses(guard.run_block(jobs_of(0))) == ["memory"]


@pytest.mark.parametrize("is_touched", [False, True])
def test_code_that_has_changed_is_never_run_by_a_process_that_has_it(
    guarded, tmp_path, monkeypatch, is_touched
):
    name = f"of_a_user_{is_touched}"
    (tmp_path / f"{name}.py").write_text("VALUE = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    def check(value):
        def look():
            import importlib

            assert value == importlib.import_module(name).VALUE

        return look

    assert statuses(guarded(check(1)).run_block(jobs_of(0))) == ["ok"]
    if is_touched:
        (tmp_path / f"{name}.py").write_text("VALUE = 2222\n")
    (record,) = guarded(check(2222 if is_touched else 1)).run_block(jobs_of(0))
    assert (record.status, record.message) == ("ok", "")


def test_workers_that_joblib_keeps_for_a_learner_end_with_it(guarded, capfd):
    def use_workers():
        import math

        import joblib

        with joblib.parallel_config("loky", n_jobs=2):
            joblib.Parallel()(joblib.delayed(math.sqrt)(i) for i in range(4))

    guard = guarded(use_workers)
    assert statuses(guard.run_block(jobs_of(0, 0))) == ["ok", "ok"]
    started = processes_of(number_of(guard))
    assert len(started) >= 3
    guard.close()
    wait_until(lambda: not any(psutil.pid_exists(number) for number in started))
    assert "leaked" not in capfd.readouterr().err


def test_a_process_has_paths_folder_and_environment_of_the_call(guarded, monkeypatch, tmp_path):
    guarded(GaussianNB()).wait()  # the template is there
    monkeypatch.setenv("OF_A_TEST", "1")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend("of_a_test")
    guard = guarded(lambda: (os.environ["OF_A_TEST"], os.getcwd(), sys.path[0]))
    assert guard.answer(FitJob(0), timeout=None).given_ == ("1", str(tmp_path), "of_a_test")


@pytest.mark.slow
def test_without_a_safe_fork_each_learner_has_a_python_of_its_own(guarded, monkeypatch):
    monkeypatch.setattr(guarded_child, "CAN_FORK", False)
    guard = guarded(os.getpid, lambda: os._exit(3))
    number = guard.answer(FitJob(0), timeout=None).given_
    assert number == guard._child._process.root
    records = list(guard.run_block(jobs_of(0, 1)))
    assert statuses(records) == ["ok", "error"]
    assert records[1].message == "the process of the run died (exit code 3)"
    assert not psutil.pid_exists(number)


@pytest.mark.parametrize("ending", [pytest.param("ends", marks=pytest.mark.slow), "killed"])
def test_no_process_is_left_behind(ending):
    source = f"""if True:
        import sys
        sys.path.insert(0, {str(Path(__file__).parents[3])!r})
        from contextlib import closing
        from tests.unit.evaluation.guarded.test_guard import *
        from bestofk.evaluation.guarded.guard import GuardedProcess
        def detach():
            if os.fork() == 0:
                os.setsid()
                time.sleep(60)
        payload = Payload(DATA, PLAN, (Learner("a", acting(detach)),))
        guard = GuardedProcess(PayloadFile(payload))
        next(guard.run_block(jobs_of(0)))
        for number in psutil.Process().children(recursive=True):
            print(number.pid, flush=True)
        if sys.argv[1] == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
    """
    result = subprocess.run(
        [sys.executable, "-c", source, ending], capture_output=True, text=True, check=False
    )
    numbers = [int(line) for line in result.stdout.split()]
    # template, keeper, child, what that has started, and what deletes the file of the payload
    assert len(numbers) == 5, result.stderr
    assert ending == "killed" or result.stderr == ""
    wait_until(lambda: not any(map(psutil.pid_exists, numbers)))
