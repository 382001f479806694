"""Runs recorded scheduler cases through the vLLM that is installed, and lists the cases that it decides otherwise.

    python engine_drift.py [--engine-wheel vllm==VERSION] CASES_DIR

CASES_DIR is a corpus as in tests-data/vllm-v1 or tests-data/vllm-0.33. The scheduler needs no GPU and no model. Supported
are synchronous cases without drafts, connectors and grammars, with no events except aborts, and groups with full or sliding-window attention.
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
}
REQUEST_KEYS = {"id", "arrive", "prompt", "max_tokens", "priority", "arrival_time", "salt", "skip_cache"}
GROUP_KEYS = {"type", "block_size", "sliding_window", "head_size"}


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
    if engine.get("async_scheduling") is False:
        other.discard("async_scheduling")
    for group in engine["kv_groups"]:
        other |= set(group) - GROUP_KEYS
        if group["type"] not in ("full", "sliding_window"):
            other.add(group["type"])
    for request in case["requests"]:
        other |= set(request) - REQUEST_KEYS
    other |= {event["type"] for event in case.get("events", [])} - {"abort"}
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


def scheduler(engine):
    from vllm.config import CacheConfig, ObservabilityConfig, ParallelConfig, SchedulerConfig
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
    sched = SchedulerConfig(**{"is_encoder_decoder": False, "enable_chunked_prefill": True, **given})
    model = Settings(max_model_len=engine["max_model_len"], uses_mrope=False, is_encoder_decoder=False,
                     is_diffusion=False, runner_type="generate", supports_multimodal_inputs=False,
                     is_multimodal_model=False, enable_return_routed_experts=False, is_hybrid=False)
    config = Settings(scheduler_config=sched, cache_config=cache, parallel_config=ParallelConfig(), model_config=model,
                      observability_config=ObservabilityConfig(), max_concurrent_batches=1, num_speculative_tokens=0,
                      num_lookahead_tokens=0, num_prefill_lookahead_tokens=0, use_v2_model_runner=False,
                      max_in_flight_tokens=sched.max_num_batched_tokens, is_mm_encoder_only=False,
                      aux_output_config=Settings(enabled=False), structured_outputs_config=Settings(),
                      ec_manager_config=Settings(get_encoder_cache_manager_obj=lambda: None))
    sizes = [group["block_size"] for group in engine["kv_groups"]]
    grammars = Settings(accept_tokens=lambda *unused: True, should_advance=lambda request: False)
    return Scheduler(config, groups(engine), grammars, block_size=max(sizes), hash_block_size=min(sizes))


def tokens(part, index):
    if isinstance(part, dict):
        return [output(index[part["out"]], k) for k in range(part["n"])]
    return [part[0] * 1000000 + k for k in range(part[1])]


def output(request, k):
    """Returns output token k of the request with this position in the case."""
    return 1000000000 + request * 100000 + k


def add(engine_scheduler, request, size, index):
    from vllm.sampling_params import SamplingParams
    from vllm.utils.hashing import sha256
    from vllm.v1.core.kv_cache_utils import get_request_block_hasher
    from vllm.v1.request import Request

    prompt = [token for part in request["prompt"] for token in tokens(part, index)]
    params = SamplingParams(max_tokens=request["max_tokens"], ignore_eos=True)
    params.skip_reading_prefix_cache = request.get("skip_cache", False)
    engine_scheduler.add_request(Request(
        request_id=request["id"], prompt_token_ids=prompt, sampling_params=params, pooling_params=None,
        arrival_time=request.get("arrival_time", request["arrive"]), priority=request.get("priority", 0),
        cache_salt=request.get("salt"), block_hasher=get_request_block_hasher(size, sha256)))


def step(engine_scheduler, index):
    """Returns the decisions of one step, and applies its results."""
    from vllm.v1.outputs import ModelRunnerOutput

    out = engine_scheduler.schedule()
    kinds = {new.req_id: ("N", new.num_computed_tokens) for new in out.scheduled_new_reqs}
    cached = out.scheduled_cached_reqs
    for at, name in enumerate(cached.req_ids):
        resumed = name in cached.resumed_req_ids
        kinds[name] = ("R" if resumed else "C", cached.num_computed_tokens[at])
    run = [[name, kinds[name][0], tokens, kinds[name][1]] for name, tokens in out.num_scheduled_tokens.items()]
    names, sampled = list(out.num_scheduled_tokens), []
    for name in names:
        request = engine_scheduler.requests[name]
        ends = request.num_computed_tokens >= request.num_tokens
        sampled.append([output(index[name], request.num_output_tokens)] if ends else [])
    engine_scheduler.update_from_output(out, ModelRunnerOutput(
        req_ids=names, req_id_to_index={name: at for at, name in enumerate(names)}, sampled_token_ids=sampled,
        logprobs=None, prompt_logprobs_dict={}, pooler_output=[]))
    return run, sorted(out.preempted_req_ids or [])


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
    from vllm.v1.request import RequestStatus

    init_none_hash(sha256)
    engine_scheduler = scheduler(case["engine"])
    size = min(group["block_size"] for group in case["engine"]["kv_groups"])
    index = {request["id"]: at for at, request in enumerate(case["requests"])}
    known = expected(folder)
    for t in range(max(known, default=0) + 1):
        for request in case["requests"]:
            if request["arrive"] == t:
                add(engine_scheduler, request, size, index)
        for event in case.get("events", []):
            if event["step"] == t:
                engine_scheduler.finish_requests(event["ids"], RequestStatus.FINISHED_ABORTED)
        if t not in known and not engine_scheduler.has_requests():
            continue
        now = step(engine_scheduler, index)
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
