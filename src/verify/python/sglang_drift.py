"""Runs recorded cases through the SGLang that is installed, and lists the cases that it decides otherwise.

    python sglang_drift.py [--engine-wheel sglang==VERSION] [--record] CASES_DIR

CASES_DIR is a corpus as in tests-data/sglang-0.5.23. Neither a GPU nor a model is needed: the scheduler, the cache and the
policies of the wheel run on a CPU, and modules that are not installed are replaced by empty ones. Supported are the families
engine, radix and sched. Cases of other families are counted as unsupported. --record writes the results of the installed
version to expected.json instead. The exit code is 1 if a case differs, and 2 if no case ran.
"""
import array
import collections
import importlib.abc
import importlib.machinery
import json
import logging
import os
import pathlib
import sys
import types
import warnings

import engine_wheel

FAMILIES = ("engine", "radix", "sched")
END_TOKEN = -5


class StubType(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Stub


class Stub(metaclass=StubType):
    """A name of a module that is not installed."""

    def __init__(self, *args, **kwargs):
        pass

    def __call__(self, *args, **kwargs):
        is_decorator = len(args) == 1 and callable(args[0]) and not kwargs
        return args[0] if is_decorator else Stub()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Stub()

    def __class_getitem__(cls, key):
        return cls


class StubModule(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Stub


class StubFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules that are not installed."""

    missing = set()

    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in self.missing:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        module = StubModule(spec.name)
        module.__path__ = []
        return module

    def exec_module(self, module):
        pass


def load():
    """Imports SGLang's scheduler, with stubs for modules that are not installed."""
    sys.meta_path.append(StubFinder())
    while True:
        try:
            import sglang.srt.managers.scheduler
            return
        except ModuleNotFoundError as error:
            name = error.name.split(".")[0]
            if name in StubFinder.missing or name in ("sglang", "torch"):
                raise
            StubFinder.missing.add(name)
            for module in [module for module in sys.modules if module.split(".")[0] == "sglang"]:
                del sys.modules[module]


class Absent:
    """A collaborator that is not there: false, empty, and callable without effect."""

    def __bool__(self):
        return False

    def __call__(self, *args, **kwargs):
        return Absent()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent()

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def __int__(self):
        return 0

    __index__ = __int__

    def _same(self, other):
        return self

    def _other(self, other):
        return other

    __sub__ = __iadd__ = _same
    __add__ = __radd__ = __rsub__ = _other


class Adapter(Absent):
    """An adapter that returns the batch that it gets."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda batch, *args, **kwargs: batch


def tokens(runs):
    sequence = array.array("q")
    for first, count in runs:
        sequence.extend(range(first, first + count))
    return sequence


def override(**fields):
    from sglang.srt.runtime_context import get_context

    made = get_context().override_server_args(device="cpu", **fields)
    made.install()
    return made


def cache(pool, rows, page, eviction, config, disable):
    from sglang.srt.mem_cache.cache_init_params import CacheInitParams
    from sglang.srt.mem_cache.unified_cache.components import ComponentType
    from sglang.srt.mem_cache.unified_radix_cache import UnifiedRadixCache

    return UnifiedRadixCache(CacheInitParams(
        disable=disable, req_to_token_pool=rows, token_to_kv_pool_allocator=pool, page_size=page, eviction_policy=eviction,
        eviction_policy_config=config, tree_components=(ComponentType.FULL,), tree_core_backend="python"))


class RecordingPool(Absent):
    """An allocator that records the slots that are freed."""

    def __init__(self, page):
        self.page_size = page
        self.device = "cpu"
        self.freed = []

    def __getattr__(self, name):
        if name.startswith("free"):
            return lambda slots, *args, **kwargs: self.freed.append(slots.tolist())
        return super().__getattr__(name)


def radix(case):
    """Returns the results of the operations on a cache."""
    import torch
    from sglang.srt.mem_cache.base_prefix_cache import EvictParams, InsertParams, MatchPrefixParams
    from sglang.srt.mem_cache.radix_cache import RadixKey
    from sglang.srt.mem_cache.unified_cache.components import ComponentType

    pool = RecordingPool(case["page_size"])
    tree = cache(pool, Absent(), case["page_size"], case["eviction"], case.get("eviction_config"), False)
    core = tree.tree_core
    held, results = [], []

    def protected():
        return int(core.component_protected_size_[ComponentType.FULL])

    for op in case["ops"]:
        pool.freed.clear()
        before = protected()
        kind = op["op"]
        key = RadixKey(tokens(op["key"]), op["extra_key"]) if "key" in op else None
        if kind == "insert":
            slots = torch.arange(op["value_start"], op["value_start"] + len(tokens(op["key"])))
            result = {"prefix_len": tree.insert(InsertParams(
                key=key, value=slots, priority=op["priority"], inserted_len=op["inserted_len"])).prefix_len}
        elif kind in ("match", "lock"):
            found = tree.match_prefix(MatchPrefixParams(key=key))
            count = found.device_prefix_len
            if kind == "lock":
                held.append(tree.lock(found.last_device_node))
                result = {"matched": count, "delta": before - protected()}
            else:
                slots = core.collect_full_device_indices(found.last_device_node, core.root_node.id).tolist() if count else []
                result = {"matched": count, "slots": slots}
        elif kind == "unlock":
            tree.unlock(held.pop(op["index"]))
            result = {"delta": before - protected()}
        else:
            count = tree.evict(EvictParams(num_tokens=op["tokens"])).num_tokens_evicted
            result = {"evicted": count, "freed_slots": [list(slots) for slots in pool.freed]}
        result["evictable"] = int(core.component_evictable_size_[ComponentType.FULL])
        result["protected"] = protected()
        results.append(result)
    rows = []

    def add(node, depth):
        for child in sorted(node.children.values(), key=lambda child: (child.key.token_ids[0], child.key.extra_key or "")):
            locks = child.component_data[ComponentType.FULL].lock_ref
            rows.append([depth, len(child.key.token_ids), int(child.key.token_ids[0]), child.key.extra_key, locks,
                         child.hit_count, child.priority])
            add(child, depth + 1)

    add(core.root_node, 0)
    return {"results": results, "total": results[-1]["evictable"] + results[-1]["protected"], "final_tree": rows}


def sched(case):
    """Returns the order of a waiting queue."""
    import sglang.srt.managers.schedule_policy as policies
    import torch
    from sglang.srt.mem_cache.base_prefix_cache import InsertParams, MatchPrefixParams
    from sglang.srt.mem_cache.radix_cache import RadixKey

    tree = cache(RecordingPool(case["page_size"]), Absent(), case["page_size"], "lru", None, case["cache_disabled"])
    for prompt in [] if case["cache_disabled"] else case["cached"]:
        key = tokens(prompt)
        tree.insert(InsertParams(key=RadixKey(key, None), value=torch.arange(len(key)), priority=0))
    policy = policies.SchedulePolicy(
        case["policy"], tree, False, case["enable_priority_scheduling"], case["low_values_first"])

    def match(request, cached, ids=None, **kwargs):
        ids = request.origin_input_ids if ids is None else ids
        found = cached.match_prefix(MatchPrefixParams(key=RadixKey(ids[:len(ids) - 1], None)))
        request.prefix_len = request.num_matched_prefix_tokens = found.device_prefix_len
        request.last_node = found.last_device_node
        return found

    policies.match_kv_cache = match
    policies.touch_waiting_prefix = lambda request, cached: None
    queue = [types.SimpleNamespace(
        rid=request["rid"], origin_input_ids=tokens(request["prompt"]), output_ids=array.array("q"), extra_key=None,
        cache_salt=None, priority=request["priority"], routing_key=request["routing_key"], num_matched_prefix_tokens=0,
        sampling_params=types.SimpleNamespace(max_new_tokens=request["max_new_tokens"]), last_node=None,
        time_stats=types.SimpleNamespace(wait_queue_entry_time=request["queue_entry"]),
        arrival_processed_tokens=request.get("arrival_processed", 0)) for request in case["waiting"]]
    running = types.SimpleNamespace(
        reqs=[types.SimpleNamespace(routing_key=key) for key in case["running_routing_keys"]])
    active = policy._determine_active_policy(queue)
    order = list(queue)
    policy.calc_priority(order, running, case.get("processed_tokens", 0))
    matches = queue if isinstance(active, policies.CacheAwarePolicy) else []
    return {"order": [request.rid for request in order], "active_policy": active.value,
            "matched": {request.rid: request.num_matched_prefix_tokens for request in matches}}


class Engine:
    """The scheduler loop of one engine, with a worker that returns the tokens that the case prescribes."""

    def __init__(self, case):
        import torch
        from sglang.srt.mem_cache.allocator.paged import PagedTokenToKVPoolAllocator
        from sglang.srt.mem_cache.allocator.token import TokenToKVPoolAllocator
        from sglang.srt.mem_cache.memory_pool import ReqToTokenPool

        self.case = case
        self.engine = engine = case["engine"]
        self.index = {request["rid"]: at for at, request in enumerate(case["requests"])}
        self.outputs = {request["rid"]: request["output"] for request in case["requests"]}
        page = engine["page_size"]
        size = engine["total_tokens"] // page * page
        longest = max(request["prompt_tokens"] + request["output"] for request in case["requests"]) + 2 * size
        extra = () if page == 1 else (page,)
        allocator = TokenToKVPoolAllocator if page == 1 else PagedTokenToKVPoolAllocator
        self.pool = allocator(size, *extra, torch.float16, "cpu", Absent(), False)
        self.pool.use_triton_kernels = False
        rows = ReqToTokenPool(engine["max_running_requests"], longest, "cpu", False)
        self.tree = cache(self.pool, rows, page, engine["eviction"], None, not engine["radix_cache"])
        self.ended, self.retracted = [], []
        self.scheduler = self.make_scheduler(rows, size, longest)
        self.processor = self.make_processor(rows)

    def make_scheduler(self, rows, size, longest):
        import sglang.srt.managers.schedule_batch as batches
        import sglang.srt.managers.schedule_policy as policies
        import sglang.srt.managers.scheduler as schedulers
        from sglang.srt.disaggregation.utils import DisaggregationMode
        from sglang.srt.managers.scheduler_components.new_token_ratio_tracker import NewTokenRatioTracker
        from sglang.srt.mem_cache.common import checkpoint_kv_cache
        from sglang.srt.speculative.spec_info import SpeculativeAlgorithm

        class Sampling(Absent):
            def filter_batch(self, *args):
                pass

            def merge_batch(self, *args):
                pass

        class Scheduler(schedulers.Scheduler):
            def __init__(self):
                pass

            def __getattr__(self, name):
                if name.startswith("__"):
                    raise AttributeError(name)
                return Absent()

        engine, made = self.engine, Scheduler()
        batches.SamplingBatchInfo.from_schedule_batch = classmethod(lambda cls, *args, **kwargs: Sampling())
        schedulers.PrefillStats = types.SimpleNamespace(from_adder=lambda *args, **kwargs: None)
        chunk = engine["chunked_prefill_size"] if engine["chunked_prefill_size"] > 0 else None
        model = types.SimpleNamespace(
            is_encoder_decoder=False, vocab_size=1 << 30, is_multimodal=False, context_len=longest, think_end_ids=None,
            think_end_id=None, self_opened_think_start_ids=None)
        absent = ("dllm_config", "min_free_slots_delayer", "hisparse_coordinator", "dynamic_chunk_sizer",
                  "truncation_align_size", "decode_offload_manager", "chunked_req", "_pending_chunked_abort_req",
                  "prefill_delayer", "last_batch", "max_new_tokens_limit", "sliding_window_size", "max_queued_requests",
                  "default_priority_value")
        off = ("enable_hisparse", "require_mlp_sync", "enable_lora", "enable_hicache_storage", "enable_lmcache",
               "enable_hierarchical_cache", "is_hybrid_swa", "enable_unified_cache_external_linker",
               "enable_priority_scheduling", "enable_priority_preemption", "enable_overlap_mlx", "enable_fpm",
               "schedule_low_priority_values_first")
        adapter = Adapter()
        values = dict(
            {**dict.fromkeys(absent), **dict.fromkeys(off, False)}, tp_size=1, tree_cache=self.tree,
            token_to_kv_pool_allocator=self.pool, req_to_token_pool=rows, page_size=engine["page_size"],
            max_total_num_tokens=size, max_req_len=longest, max_running_requests=engine["max_running_requests"],
            kv_shard_widening=1, max_prefill_tokens=engine["max_prefill_tokens"], model_config=model, max_prefill_bs=0,
            priority_scheduling_preemption_threshold=0, disaggregation_mode=DisaggregationMode.NULL, is_generation=True,
            spec_algorithm=SpeculativeAlgorithm.NONE, enable_overlap=engine["overlap"],
            enable_skip_finishing_decode=engine["overlap"], waiting_queue=[], result_queue=collections.deque(),
            running_batch=batches.ScheduleBatch(reqs=[], batch_is_full=False), forward_ct=0, processed_tokens_counter=0,
            chunked_prefill_size=chunk, is_mixed_chunk=chunk is not None and engine["enable_mixed_chunk"],
            prefill_decode_interval=0, _prefill_decode_interval_remaining=0, prefill_decode_interval_min_bs=0,
            policy=policies.SchedulePolicy(engine["schedule_policy"], self.tree, False, False, False),
            new_token_ratio_tracker=NewTokenRatioTracker.from_config(), dp_attn_adapter=adapter,
            ngram_embedding_manager=adapter, get_prefill_adder_class=lambda: policies.PrefillAdder,
            beam_coordinator=types.SimpleNamespace(
                pending_member_rows=lambda batch: 0, commit_decode=lambda batch: set(), retire_group=lambda request: None),
            tp_worker=types.SimpleNamespace(
                model_runner=types.SimpleNamespace(attn_backend=object(), prefill_aware_swa=False)),
            send_abort_output=lambda out, request: self.ended.append(request.rid),
            stash_chunked_request=lambda request: checkpoint_kv_cache(request, self.tree),
            _prefetch_kvcache=lambda request: None, _set_or_validate_priority=lambda request: True,
            _abort_on_queued_limit=lambda request: False)
        for name, value in values.items():
            setattr(made, name, value)

        def queued(request, is_retracted=False):
            if is_retracted:
                self.retracted.append(request.rid)
            schedulers.Scheduler._add_request_to_queue(made, request, is_retracted)

        made._add_request_to_queue = queued
        return made

    def make_processor(self, rows):
        from sglang.srt.managers.scheduler_components.batch_result_processor import SchedulerBatchResultProcessor

        names = ("metrics_collector", "metrics_reporter", "draft_worker", "model_worker", "logprob_result_processor",
                 "output_streamer")
        scheduler = self.scheduler
        return SchedulerBatchResultProcessor(
            is_generation=True, disaggregation_mode=scheduler.disaggregation_mode, enable_overlap=self.engine["overlap"],
            enable_overlap_mlx=False, model_config=scheduler.model_config, token_to_kv_pool_allocator=self.pool,
            tree_cache=self.tree, hisparse_coordinator=None, req_to_token_pool=rows, decode_offload_manager=None,
            beam_coordinator=scheduler.beam_coordinator, abort_request=scheduler.abort_request,
            **{name: Absent() for name in names})

    def add(self, request):
        from sglang.srt.managers.schedule_batch import Req
        from sglang.srt.sampling.sampling_params import SamplingParams

        limit = self.engine["max_new_tokens"]
        params = SamplingParams(max_new_tokens=limit or request["output"], ignore_eos=not limit)
        params.normalize(None)
        made = Req(rid=request["rid"], origin_input_text="", origin_input_ids=tokens(request["prompt"]),
                   sampling_params=params, eos_token_ids={END_TOKEN}, vocab_size=1 << 30)
        self.scheduler.init_req_max_new_tokens(made)
        made.full_untruncated_fill_ids = array.array("q")
        self.scheduler._add_request_to_queue(made)

    def token(self, request):
        at = len(request.output_ids)
        if self.engine["max_new_tokens"] and at + 1 >= self.outputs[request.rid]:
            return END_TOKEN
        return (1 << 20) * (1 + self.index[request.rid]) + at

    def process(self, batch, row):
        import torch
        from sglang.srt.managers.utils import GenerationBatchResult

        before = {request.rid for request in batch.reqs if request.finished()}
        result = GenerationBatchResult(
            logits_output=None, next_token_ids=torch.tensor([self.token(request) for request in batch.reqs]),
            can_run_cuda_graph=False)
        if batch.forward_mode.is_decode():
            self.processor.process_batch_result_decode(batch, result)
        else:
            self.processor.process_batch_result_prefill(batch, result)
        end = [request.rid for request in batch.reqs if request.finished() and request.rid not in before]
        if end:
            row["end"] = end

    def rows(self, batch):
        mode = batch.forward_mode
        decodes = {id(request) for request in batch.decoding_reqs or []} if not mode.is_decode() else set()
        return [[request.rid, "D", 1, request.kv.kv_committed_len - 1] if mode.is_decode() or id(request) in decodes
                else [request.rid, "P", batch.extend_lens[at], batch.prefix_lens[at]]
                for at, request in enumerate(batch.reqs)]

    def step(self, t):
        scheduler, row = self.scheduler, {"t": t}
        for request in self.case["requests"]:
            if request["arrive"] == t:
                self.add(request)
        self.ended.clear()
        self.retracted = []
        plan = scheduler.get_next_batch_to_run(running_batch=scheduler.running_batch, last_batch=scheduler.last_batch)
        scheduler.running_batch, batch = plan.running_batch, plan.batch_to_run
        if batch:
            row["run"] = self.rows(batch)
            scheduler.forward_ct += 1
            scheduler.processed_tokens_counter += batch.extend_num_tokens or 0
        if self.retracted:
            row["retracted"] = self.retracted
        if self.ended:
            row["aborted"] = list(self.ended)
        row["full"] = bool(scheduler.running_batch.batch_is_full)
        row["free"] = [int(size()) for size in
                       (self.pool.available_size, self.tree.evictable_size, self.tree.protected_size)]
        finished = batch
        if self.engine["overlap"]:
            if batch:
                scheduler.result_queue.append((batch.copy(), None))
            finished = scheduler.result_queue.popleft()[0] if scheduler.last_batch else None
        if finished:
            self.process(finished, row)
        elif batch is None and not scheduler.waiting_queue and scheduler.chunked_req is None:
            scheduler.new_token_ratio_tracker.reset()
        scheduler.last_batch = batch
        row["ratio"] = scheduler.new_token_ratio_tracker.current
        row["waiting"] = [request.rid for request in scheduler.waiting_queue]
        return row

    def run(self):
        scheduler, rows = self.scheduler, []
        last = max(request["arrive"] for request in self.case["requests"])
        while len(rows) <= self.case["max_steps"] and (
                len(rows) <= last or scheduler.waiting_queue or scheduler.running_batch.reqs or scheduler.last_batch
                or scheduler.result_queue or scheduler.chunked_req):
            rows.append(self.step(len(rows)))
        return {"steps": rows}


def results(case):
    """Returns the decisions of the installed version on a case."""
    family, engine = case["family"], case.get("engine", {})
    if family == "engine":
        names = ("page_size", "schedule_policy", "chunked_prefill_size", "max_prefill_tokens", "schedule_conservativeness",
                 "enable_mixed_chunk")
        fields = {name: engine[name] for name in names} | {f"{kind}attention_backend": "torch_native"
                                                           for kind in ("", "prefill_", "decode_")}
        made = override(disable_radix_cache=not engine["radix_cache"], disable_overlap_schedule=not engine["overlap"],
                        radix_eviction_policy=engine["eviction"], pp_max_micro_batch_size=engine["max_running_requests"],
                        **fields)
    else:
        made = override(page_size=case["page_size"], radix_eviction_policy=case.get("eviction", "lru"),
                        disable_radix_cache=case.get("cache_disabled", False))
    try:
        return Engine(case).run() if family == "engine" else {"radix": radix, "sched": sched}[family](case)
    finally:
        made.restore()


def first_difference(recorded, now):
    """Returns a description of the first difference, or None."""
    for name, value in recorded.items():
        if value == now.get(name):
            continue
        if not isinstance(value, list) or not isinstance(now.get(name), list):
            return f"{name}: recorded {json.dumps(value)}, now {json.dumps(now.get(name))}"
        for at, (old, new) in enumerate(zip(value, now[name])):
            if old != new:
                return f"{name} {at}: recorded {json.dumps(old)}, now {json.dumps(new)}"
        return f"{name}: recorded {len(value)} entries, now {len(now[name])}"
    return None


def main():
    engine_wheel.use()
    arguments = [argument for argument in sys.argv[1:] if argument != "--record"]
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    warnings.simplefilter("ignore")
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    try:
        load()
    except ModuleNotFoundError as error:
        print(f"SGLang or PyTorch is not installed: {error}", file=sys.stderr)
        sys.exit(2)
    logging.disable(logging.CRITICAL)
    import sglang

    corpus = pathlib.Path(arguments[0])
    cases = corpus / "cases" if (corpus / "cases").is_dir() else corpus
    counts, differing, unsupported = collections.Counter(), collections.Counter(), collections.Counter()
    for folder in sorted(path.parent for path in cases.glob("*/case.json")):
        case = json.loads((folder / "case.json").read_text())
        family = case["family"]
        if family not in FAMILIES:
            unsupported[family] += 1
            continue
        expected = folder / "expected.json"
        try:
            now = json.loads(json.dumps(results(case)))
            if "--record" in sys.argv:
                expected.write_text(json.dumps(now, separators=(",", ":")) + "\n")
            difference = first_difference(json.loads(expected.read_text()), now)
        except Exception as error:  # another version may lack a name or an argument
            difference = f"{type(error).__name__}: {error}"
        counts["differ" if difference else "equal"] += 1
        if difference:
            differing[family] += 1
            print(f"{folder.name}: {difference[:400]}")
    print(f"SGLang {sglang.__version__}: {counts['equal']} equal, {counts['differ']} differ {dict(differing)}, "
          f"unsupported {dict(unsupported)}")
    sys.exit(2 if not counts else 1 if counts["differ"] else 0)


if __name__ == "__main__":
    main()
