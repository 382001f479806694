"""Runs recorded scheduler cases through the vLLM that is installed, and lists the cases that it decides otherwise.

    python engine_drift.py [--engine-wheel vllm==VERSION] CASES_DIR

CASES_DIR is a corpus as in tests-data/vllm-v1 or tests-data/vllm-0.33. The scheduler needs no GPU and no model. Supported
are cases without drafts and connectors, and groups with full or sliding-window attention.
Other cases are counted as unsupported, by the reason. The exit code is 1 if a case differs, and 2 if no case ran.
"""
import collections
import json
import os
import pathlib
import sys

import engine_wheel

os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")

ENGINE_KEYS = {
    "max_model_len", "max_num_seqs", "max_num_batched_tokens", "enable_prefix_caching", "num_blocks", "kv_groups",
    "enable_chunked_prefill", "long_prefill_token_threshold", "policy", "watermark", "reserve_full_isl",
    "max_num_active_seqs", "long_prefill_token_threshold_adaptive", "max_num_scheduled_tokens", "retention_interval",
    "async_scheduling", "pipeline_parallel_size", "model_runner",
}
REQUEST_KEYS = {"id", "arrive", "prompt", "max_tokens", "priority", "arrival_time", "salt", "skip_cache", "grammar_ready",
                "eos_at", "stop_at", "min_tokens"}
EVENTS = {"abort", "abort_during", "pause", "reset"}
END_TOKEN, STOP_TOKEN = 7, 9
GROUP_KEYS = {"type", "block_size", "sliding_window", "head_size"}
DERIVED = (
    "max_concurrent_batches", "max_in_flight_tokens", "num_speculative_tokens", "num_lookahead_tokens",
    "num_prefill_lookahead_tokens", "num_hash_lookahead_tokens",
)


class Settings:
    """Attributes of a configuration object; attributes that are not given are None."""

    def __init__(self, **values):
        self.__dict__.update(values)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return None


def unsupported(case):
    engine = case["engine"]
    other = set(engine) - ENGINE_KEYS
    for group in engine["kv_groups"]:
        other |= set(group) - GROUP_KEYS
        if group["type"] not in ("full", "sliding_window"):
            other.add(group["type"])
    for request in case["requests"]:
        other |= set(request) - REQUEST_KEYS
    other |= {event["type"] for event in case.get("events", [])} - EVENTS
    return other


def groups(engine):
    import torch
    from vllm.v1.kv_cache_interface import FullAttentionSpec, KVCacheConfig, KVCacheGroupSpec, SlidingWindowSpec

    made = []
    for at, group in enumerate(engine["kv_groups"]):
        shape = dict(block_size=group["block_size"], num_kv_heads=1, head_size=group.get("head_size", 16),
                     dtype=torch.float16)
        spec = (FullAttentionSpec(**shape) if group["type"] == "full"
                else SlidingWindowSpec(sliding_window=group["sliding_window"], **shape))
        made.append(KVCacheGroupSpec([f"layer{at}"], spec))
    config = KVCacheConfig(num_blocks=engine["num_blocks"], kv_cache_tensors=[], kv_cache_groups=made)
    config.prefix_cache_retention_interval = engine.get("retention_interval")  # in the cache configuration before 0.33
    return config


def configuration(**values):
    """Returns a configuration with the values that this version of the engine derives from others."""
    from vllm.config import VllmConfig

    derived = {name: property(VllmConfig.__dict__[name].fget) for name in DERIVED
               if isinstance(VllmConfig.__dict__.get(name), property)}
    return type("Configuration", (Settings,), derived)(**values)


def scheduler(engine):
    """Returns the scheduler and the maximum number of steps in flight."""
    from vllm.config import CacheConfig, ObservabilityConfig, ParallelConfig, SchedulerConfig
    from vllm.v1.core.sched.async_scheduler import AsyncScheduler
    from vllm.v1.core.sched.scheduler import Scheduler

    known = {field for field in SchedulerConfig.__dataclass_fields__}
    names = {"reserve_full_isl": "scheduler_reserve_full_isl"}
    given = {names.get(key, key): value for key, value in engine.items() if names.get(key, key) in known}
    missing = {key for key in ("watermark", "max_num_active_seqs", "long_prefill_token_threshold_adaptive")
               if engine.get(key) and key not in known}
    if missing:
        raise NotImplementedError(f"this version has no {sorted(missing)}")
    cache = CacheConfig(block_size=engine["kv_groups"][0]["block_size"],
                        enable_prefix_caching=engine["enable_prefix_caching"])
    cache.num_gpu_blocks = engine["num_blocks"]
    cache.prefix_cache_retention_interval = engine.get("retention_interval")
    given.setdefault("async_scheduling", False)
    sched = SchedulerConfig(**{"is_encoder_decoder": False, "enable_chunked_prefill": True, **given})
    parallel = ParallelConfig()
    parallel.pipeline_parallel_size = engine.get("pipeline_parallel_size", 1)
    depth = max(parallel.pipeline_parallel_size, 2 if sched.async_scheduling else 1)
    model = Settings(max_model_len=engine["max_model_len"], uses_mrope=False, is_encoder_decoder=False,
                     is_diffusion=False, runner_type="generate", supports_multimodal_inputs=False,
                     is_multimodal_model=False, enable_return_routed_experts=False, is_hybrid=False)
    config = configuration(
        scheduler_config=sched, cache_config=cache, parallel_config=parallel, model_config=model,
        observability_config=ObservabilityConfig(), max_concurrent_batches=depth, num_speculative_tokens=0,
        num_lookahead_tokens=0, num_prefill_lookahead_tokens=0, use_v2_model_runner=engine.get("model_runner") == 2,
        max_in_flight_tokens=depth * sched.max_num_batched_tokens, is_mm_encoder_only=False,
        aux_output_config=Settings(enabled=False), structured_outputs_config=Settings(),
        ec_manager_config=Settings(get_encoder_cache_manager_obj=lambda: None))
    sizes = [group["block_size"] for group in engine["kv_groups"]]
    grammars = Settings(accept_tokens=lambda *unused: True, should_advance=lambda request: False,
                        validate_tokens=lambda request, tokens: tokens)
    kind = AsyncScheduler if sched.async_scheduling else Scheduler
    made = kind(config, groups(engine), grammars, block_size=max(sizes), hash_block_size=min(sizes))
    return made, config.max_concurrent_batches


class Engine:
    """The scheduler with the steps in flight, as in the core of the engine."""

    def __init__(self, case):
        self.scheduler, self.depth = scheduler(case["engine"])
        self.size = min(group["block_size"] for group in case["engine"]["kv_groups"])
        self.index = {request["id"]: at for at, request in enumerate(case["requests"])}
        self.given = {request["id"]: request for request in case["requests"]}
        self.requests = {}
        self.steps = collections.deque()
        self.seen = set()  # requests that ran; one model runner reports resumed requests as new ones
        self.reset = set()  # requests that a reset of the cache preempted

    def has_work(self):
        return bool(self.steps) or self.scheduler.has_requests()

    def token(self, name, k):
        """Returns output token k of a request."""
        given = self.given[name]
        if k == given.get("eos_at"):
            return END_TOKEN
        return STOP_TOKEN if k == given.get("stop_at") else 1000000000 + self.index[name] * 100000 + k

    def tokens(self, part):
        if isinstance(part, dict):
            return [self.token(part["out"], k) for k in range(part["n"])]
        return [part[0] * 1000000 + k for k in range(part[1])]

    def add(self, given):
        from vllm.sampling_params import SamplingParams
        from vllm.utils.hashing import sha256
        from vllm.v1.core.kv_cache_utils import get_request_block_hasher
        from vllm.v1.request import Request, RequestStatus

        prompt = [token for part in given["prompt"] for token in self.tokens(part)]
        params = SamplingParams(max_tokens=given["max_tokens"], min_tokens=given.get("min_tokens") or 0,
                                stop_token_ids=[STOP_TOKEN])
        params._eos_token_id = END_TOKEN
        params.skip_reading_prefix_cache = given.get("skip_cache", False)
        request = Request(
            request_id=given["id"], prompt_token_ids=prompt, sampling_params=params, pooling_params=None,
            arrival_time=given.get("arrival_time", given["arrive"]), priority=given.get("priority", 0),
            cache_salt=given.get("salt"), block_hasher=get_request_block_hasher(self.size, sha256))
        if "grammar_ready" in given:
            request.structured_output_request = Settings(grammar=None)
            request.status = RequestStatus.WAITING_FOR_STRUCTURED_OUTPUT_GRAMMAR
        self.requests[given["id"]] = request
        self.scheduler.add_request(request)

    def compile(self, name):
        if name in self.requests:
            self.requests[name].structured_output_request.grammar = True

    def handle(self, event):
        from vllm.v1.core.sched.interface import PauseState
        from vllm.v1.request import RequestStatus

        if event["type"] == "pause":
            states = {"none": PauseState.UNPAUSED, "new": PauseState.PAUSED_NEW}
            self.scheduler.set_pause_state(states.get(event["state"], PauseState.PAUSED_ALL))
        elif event["type"] == "reset":
            running = {request.request_id for request in self.scheduler.running}
            self.scheduler.reset_prefix_cache(event.get("reset_running", False))
            self.reset |= running - {request.request_id for request in self.scheduler.running}
        else:
            names = [name for name in event["ids"] if name in self.requests]
            self.scheduler.finish_requests(names, RequestStatus.FINISHED_ABORTED)

    def step(self, during):
        """Plans a step, processes the results of a step unless more steps fit in flight, and returns the decisions.

        Events in `during` occur while the engine waits for the results.
        """
        decisions = ([], [])
        if self.scheduler.has_requests():
            out = self.scheduler.schedule()
            kinds = {new.req_id: ("R" if new.req_id in self.seen else "N", new.num_computed_tokens)
                     for new in out.scheduled_new_reqs}
            cached = out.scheduled_cached_reqs
            for at, name in enumerate(cached.req_ids):
                resumed = name in cached.resumed_req_ids
                kinds[name] = ("R" if resumed else "C", cached.num_computed_tokens[at])
            run = [[name, kinds[name][0], count, kinds[name][1]] for name, count in out.num_scheduled_tokens.items()]
            self.seen |= set(kinds)
            decisions = (run, sorted(set(out.preempted_req_ids or []) - self.reset))
            self.reset = set()
            self.steps.append((out, [name for name in out.num_scheduled_tokens if self.samples(name)]))
            executes = out.total_num_scheduled_tokens > 0
            defers = executes and getattr(out, "pending_structured_output_tokens", False)
            if len(self.steps) < self.depth and not defers and (executes or self.scheduler.has_requests()):
                return decisions
        if self.steps:
            out, sampling = self.steps.popleft()
            results = self.results(out, sampling)
            for event in during:
                self.handle(event)
            self.scheduler.update_from_output(out, results)
        return decisions

    def samples(self, name):
        """Returns whether the planned step computes the last token that the request has."""
        request = self.requests[name]
        return request.num_computed_tokens >= request.num_tokens

    def results(self, out, sampling):
        from vllm.v1.outputs import ModelRunnerOutput

        names = list(out.num_scheduled_tokens)
        sampled = [[self.token(name, self.requests[name].num_output_tokens)]
                   if name in sampling and not self.requests[name].is_finished() else [] for name in names]
        return ModelRunnerOutput(
            req_ids=names, req_id_to_index={name: at for at, name in enumerate(names)}, sampled_token_ids=sampled,
            logprobs=None, prompt_logprobs_dict={}, pooler_output=[])


def expected(folder):
    steps = {}
    for line in (folder / "expected.jsonl").read_text().splitlines():
        row = json.loads(line)
        if isinstance(row.get("sched"), dict):
            run = [entry[:4] for entry in row["sched"].get("run", [])]
            steps[row["t"]] = (run, sorted(row["sched"].get("pre", [])))
    return steps


def first_difference(case, folder):
    """Returns a description of the first step that is decided otherwise, or None."""
    from vllm.utils.hashing import sha256
    from vllm.v1.core.kv_cache_utils import init_none_hash

    init_none_hash(sha256)
    engine = Engine(case)
    known = expected(folder)
    for t in range(max(known, default=0) + 1):
        for request in case["requests"]:
            if request["arrive"] == t:
                engine.add(request)
        for request in case["requests"]:
            if request.get("grammar_ready", t + 1) <= t:
                engine.compile(request["id"])
        events = [event for event in case.get("events", []) if event["step"] == t]
        during = [event for event in events if event["type"] == "abort_during"]
        for event in events:
            if event not in during:
                engine.handle(event)
        if t not in known and not engine.has_work():
            continue
        now = engine.step(during)
        if now != known.get(t, ([], [])):
            return f"step {t}: recorded {json.dumps(known.get(t))}, now {json.dumps(now)}"
    return None


def main():
    engine_wheel.use()
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    try:
        import vllm
    except ImportError as error:
        print(f"vLLM is not installed: {error}", file=sys.stderr)
        sys.exit(2)
    corpus = pathlib.Path(sys.argv[1])
    counts = collections.Counter()
    by_feature, reasons = collections.Counter(), collections.Counter()
    cases = corpus / "cases" if (corpus / "cases").is_dir() else corpus
    for folder in sorted(path.parent for path in cases.glob("*/case.json")):
        case = json.loads((folder / "case.json").read_text())
        others = unsupported(case)
        if others:
            counts["unsupported"] += 1
            reasons.update(others)
            continue
        try:
            difference = first_difference(case, folder)
        except Exception as error:  # another version may lack a name or an argument
            difference = f"{type(error).__name__}: {error}"
        counts["differ" if difference else "equal"] += 1
        if difference:
            by_feature.update(case.get("features", []))
            print(f"{folder.name} {case.get('features', [])}: {difference[:400]}")
    print(f"vLLM {vllm.__version__}: {counts['equal']} equal, {counts['differ']} differ, "
          f"{counts['unsupported']} unsupported {dict(reasons)}; features that differ: {dict(by_feature)}")
    sys.exit(2 if counts["equal"] + counts["differ"] == 0 else 1 if counts["differ"] else 0)


if __name__ == "__main__":
    main()
