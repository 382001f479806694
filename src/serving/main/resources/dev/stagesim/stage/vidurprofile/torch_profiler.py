"""Measures the operators of one transformer layer with PyTorch, on a processor or a CUDA device.

    python torch_profiler.py REQUEST.json RESULT.json

Plain PyTorch 1.10 or newer and nothing else. REQUEST.json: see TorchProfiler.java. While it works, lines
"progress DONE TOTAL WHAT" go to stdout; when it cannot, one line "error KIND MESSAGE" and exit code 3.
RESULT.json holds, per case, [min, max, mean, median, standard deviation] in ms, and what it ran on.
Transfers are measured between processes of this script: with gloo on the processor, with NCCL on CUDA devices.
"""
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time


def end_with_input():
    """Ends this process when whoever holds the other end of its standard input is gone; workers inherit it."""
    while os.read(0, 4096):
        pass
    os._exit(1)


if os.environ.get("STAGESIM_ENDS_WITH_INPUT"):
    threading.Thread(target=end_with_input, daemon=True).start()


def fail(kind, message):
    print("error", kind, " ".join(str(message).split()), flush=True)
    sys.exit(3)


try:
    import torch
    import torch.nn.functional as functional
except ImportError as e:
    fail("torch", e)

HAS_SDPA = hasattr(functional, "scaled_dot_product_attention")
try:
    from torch.nn.attention.bias import causal_lower_right  # PyTorch 2.3
except ImportError:
    causal_lower_right = None


def reads_groups():
    """Whether attention takes grouped keys and values as they are (PyTorch 2.5)."""
    x = torch.ones(1, 2, 1, 8)
    try:
        functional.scaled_dot_product_attention(x, x[:, :1], x[:, :1], enable_gqa=True)
        return True
    except (AttributeError, TypeError):
        return False


class OutOfMemory(Exception):
    pass


class Clock:
    """
    Times a function. On a CUDA device it is replayed from a graph, several times in one where it is short, so that neither the
    host nor the events are in its time; before each run memory greater than the second-level cache is read, which leaves nothing
    there to be written back, and what that takes alone is subtracted.
    """

    COPIES, SHORT_MS = 10, 0.5

    def __init__(self, device, warmup, repeats):
        self.device, self.warmup, self.repeats = device, warmup, repeats
        self.alone = {}
        if device.type == "cuda":
            cache = getattr(torch.cuda.get_device_properties(device), "L2_cache_size", 0)
            self.memory = torch.ones(max(32 << 20, cache // 2), dtype=torch.int32, device=device)
            self.stream = torch.cuda.Stream()

    def stats(self, work):
        try:
            with torch.no_grad():
                return self.measure(work)
        except RuntimeError as e:
            if "out of memory" in str(e).lower() or "can't allocate" in str(e).lower():
                if self.device.type == "cuda":
                    torch.cuda.empty_cache()
                raise OutOfMemory()
            raise

    def measure(self, work):
        return summary(self.cuda(work) if self.device.type == "cuda" else self.host(work))

    def host(self, work):
        for _ in range(self.warmup):
            work()
        times = []
        for _ in range(self.repeats):
            begin = time.perf_counter()
            work()
            times.append((time.perf_counter() - begin) * 1e3)
        return times

    def cuda(self, work):
        self.stream.wait_stream(torch.cuda.current_stream())  # which still fills the matrices
        with torch.cuda.stream(self.stream):
            for _ in range(1 + self.warmup):
                work()
        once = statistics.median(self.replayed(work, 1))
        copies = 1 if once > self.SHORT_MS else self.COPIES
        if copies not in self.alone:
            self.alone[copies] = statistics.median(self.replayed(lambda: None, copies))
        return [max(0.0, (ms - self.alone[copies]) / copies) for ms in self.replayed(work, copies)]

    def replayed(self, work, copies):
        """Milliseconds of so many runs, each behind a read of other memory."""
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=self.stream):
            for _ in range(copies):
                torch.amax(self.memory, 0, keepdim=True)
                work()
        graph.replay()
        events = [torch.cuda.Event(enable_timing=True) for _ in range(1 + self.repeats)]
        events[0].record()
        for event in events[1:]:
            graph.replay()
            event.record()
        torch.cuda.synchronize()
        graph.reset()
        return [begin.elapsed_time(end) for begin, end in zip(events, events[1:])]


def summary(times):
    return [min(times), max(times), statistics.fmean(times), statistics.median(times), statistics.pstdev(times)]


def fuser(device):
    """What makes one kernel of an element-wise function, as engines have it, and how; some devices have no compiler."""
    if device.type == "cuda" and hasattr(torch, "compile"):
        try:
            torch._dynamo.reset()  # widths of an earlier degree would make those of the next variable
            torch.compile(lambda x: x + x)(torch.ones(8, device=device))
            return torch.compile, "compiled"
        except Exception:  # of many kinds: no Triton, no C compiler, an unknown processor
            pass
    return lambda function: function, "plain"


def norm(x, weight):
    scale = torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-6)
    return (x.float() * scale).to(x.dtype) * weight


def rotated(x, cos, sin):
    half = x.shape[-1] // 2
    a, b = x[..., :half], x[..., half:]
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)


def rope(q, k, cos, sin):
    return rotated(q, cos, sin), rotated(k, cos, sin)


def rope_of_norms(q, k, cos, sin, weight):
    return rope(norm(q, weight), norm(k, weight), cos, sin)


def gated(x):
    a, b = x.chunk(2, -1)
    return functional.silu(a) * b


class Layer:
    """The share of one layer that a device of a tensor-parallel group holds."""

    def __init__(self, model, degree, device, dtype, fused):
        self.device, self.dtype = device, dtype
        self.hidden = model["hidden_size"]
        self.width = model["head_dim"]
        self.heads = model["num_heads"] // degree
        self.kv_heads = -(-model["num_kv_heads"] // degree)
        self.ffn = model["ffn_dim"] // degree
        self.inner = self.ffn * (2 if model["gated_mlp"] else 1)
        self.vocab = -(-model["vocab_size"] // degree)
        self.qkv = self.matrix((self.heads + 2 * self.kv_heads) * self.width, self.hidden)
        self.out = self.matrix(self.hidden, self.heads * self.width)
        self.up = self.matrix(self.inner, self.hidden)
        self.down = self.matrix(self.hidden, self.ffn)
        self.table = self.matrix(self.vocab, self.hidden)
        self.weight = torch.ones(self.hidden, dtype=dtype, device=device)
        self.head_weight = [torch.ones(self.width, dtype=dtype, device=device)] if model["qk_norm"] else []
        self.norm, self.rope = fused(norm), fused(rope_of_norms if model["qk_norm"] else rope)
        self.act = fused(gated if model["gated_mlp"] else functional.gelu)
        self.grouped = self.heads > self.kv_heads and device.type == "cuda" and reads_groups()

    def matrix(self, *shape):
        """Random values: a device that computes with equal ones draws less power and is faster."""
        dtype = self.dtype if self.device.type == "cuda" else torch.float32
        return torch.randn(shape, dtype=dtype, device=self.device).mul_(0.02).to(self.dtype)

    def token_operators(self, tokens):
        x, other = self.matrix(tokens, self.hidden), self.matrix(tokens, self.hidden)
        ids = torch.randint(self.vocab, (tokens,), device=self.device)
        context = self.matrix(tokens, self.heads * self.width)
        inner, narrow = self.matrix(tokens, self.inner), self.matrix(tokens, self.ffn)
        q, k = self.matrix(tokens, self.heads, self.width), self.matrix(tokens, self.kv_heads, self.width)
        angles = self.matrix(tokens, 1, self.width // 2)
        return {
            "emb": lambda: functional.embedding(ids, self.table),
            "input_layernorm": lambda: self.norm(x, self.weight),
            "attn_pre_proj": lambda: functional.linear(x, self.qkv),
            "attn_rope": lambda: self.rope(q, k, angles, angles, *self.head_weight),
            "attn_post_proj": lambda: functional.linear(context, self.out),
            "post_attention_layernorm": lambda: self.norm(x, self.weight),
            "mlp_up_proj": lambda: functional.linear(x, self.up),
            "mlp_act": lambda: self.act(inner),
            "mlp_down_proj": lambda: functional.linear(narrow, self.down),
            "add": lambda: x + other,
        }

    def attention(self, batch, chunk, kv):
        """Prefill of a chunk after kv cached tokens, or with chunk = 0 one decode step of each of batch requests."""
        queries, length = (chunk, kv + chunk) if chunk else (1, max(1, kv))
        q = self.matrix(batch, self.heads, queries, self.width)
        k = self.matrix(batch, self.kv_heads, length, self.width)
        v = self.matrix(batch, self.kv_heads, length, self.width)
        groups = self.heads // self.kv_heads
        options = {"is_causal": chunk > 1 and kv == 0}
        if chunk > 1 and kv > 0:
            options["attn_mask"] = causal_lower_right(queries, length) if causal_lower_right else self.triangle(queries, kv)
        if self.grouped:
            options["enable_gqa"] = True

        def wide(x):
            if groups == 1 or self.grouped:
                return x
            shape = (batch, self.kv_heads, groups, length, self.width)
            return x[:, :, None].expand(shape).reshape(batch, self.heads, length, self.width)

        def fused():
            return functional.scaled_dot_product_attention(q, wide(k), wide(v), **options)

        if HAS_SDPA:
            return fused
        hidden = self.triangle(queries, kv).logical_not() if chunk > 1 else None

        def plain():
            scores = (q @ wide(k).transpose(-1, -2)) / math.sqrt(self.width)
            if hidden is not None:
                scores = scores.masked_fill(hidden, float("-inf"))
            return scores.softmax(-1) @ wide(v)

        return plain

    def triangle(self, queries, kv):
        return torch.ones(queries, kv + queries, dtype=torch.bool, device=self.device).tril(kv)

    def cache_write(self, tokens):
        slots = torch.randperm(max(tokens, 4096), device=self.device)[:tokens]
        cache = self.matrix(2, max(tokens, 4096), self.kv_heads, self.width)
        new = self.matrix(2, tokens, self.kv_heads, self.width)
        return lambda: cache.index_copy_(1, slots, new)

    def attention_bytes(self, batch, chunk, kv):
        size = torch.finfo(self.dtype).bits // 8
        queries, length = (chunk, kv + chunk) if chunk else (1, max(1, kv))
        cache = 2 * batch * length * self.width * (self.kv_heads + (0 if self.grouped else self.heads)) * size
        whole = HAS_SDPA and (causal_lower_right or not (chunk > 1 and kv))
        return cache + (0 if whole else 3 * batch * self.heads * queries * length * size)


def dtype_name(request, kind):
    name = request["dtype"]
    return name if name != "auto" else ("bfloat16" if kind == "cuda" else "float32")


def choose(request):
    wanted = request["device"]
    if wanted == "cuda" and not torch.cuda.is_available():
        fail("cuda", "torch %s sees no CUDA device" % torch.__version__)
    kind = wanted if wanted != "auto" else ("cuda" if torch.cuda.is_available() else "cpu")
    device = torch.device("cuda", torch.cuda.current_device()) if kind == "cuda" else torch.device("cpu")
    name = dtype_name(request, kind)
    if request["threads"]:
        torch.set_num_threads(request["threads"])
    return device, getattr(torch, name), name


def free_bytes(device):
    if device.type == "cuda" and hasattr(torch.cuda, "mem_get_info"):
        return torch.cuda.mem_get_info()[0]
    if device.type == "cuda":
        return torch.cuda.get_device_properties(device).total_memory
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return 4 << 30


def environment(device, dtype, elementwise):
    about = {
        "python": sys.version.split()[0],
        "torch": torch.__version__,
        "device_type": device.type,
        "dtype": dtype,
        "attention": "scaled_dot_product_attention" if HAS_SDPA else "matmul_softmax",
        "elementwise": elementwise,
        "threads": torch.get_num_threads(),
    }
    if device.type == "cuda":
        about["device"] = torch.cuda.get_device_name(device)
        about["cuda"] = str(torch.version.cuda)
    else:
        about["device"] = cpu_name()
    return about


def cpu_name():
    try:
        with open("/proc/cpuinfo", encoding="latin-1") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return "cpu"


def groups(request):
    """Groups of processes that exchange data: (what, their number)."""
    wanted = [("all_reduce", degree) for degree in request["tensor_parallel_sizes"] if degree > 1]
    return wanted + ([("send_recv", 2)] if request["pipeline_parallel"] else [])


def why_not(device, workers):
    """Why a group cannot be measured here; None when it can."""
    if not (torch.distributed.is_available() and hasattr(torch.distributed, "init_process_group")):
        return "this PyTorch has no torch.distributed"
    if device.type == "cuda" and torch.cuda.device_count() < workers:
        return "this machine has %d CUDA device(s)" % torch.cuda.device_count()
    if device.type == "cuda" and not torch.distributed.is_nccl_available():
        return "this PyTorch has no NCCL"
    return None


def exchange(request_file, device, what, workers, done, total):
    """Rows of one group: a process of its own for each worker, the first of which measures."""
    with tempfile.TemporaryDirectory(prefix="stagesim-group") as folder:
        store, rows = os.path.join(folder, "store"), os.path.join(folder, "rows.json")
        command = [sys.executable, os.path.abspath(__file__), request_file, rows, device.type, what, str(workers)]
        command += [store, str(done), str(total)]
        children = [subprocess.Popen(command + [str(rank)]) for rank in range(workers)]
        try:
            codes = [child.poll() for child in children]
            while None in codes and not any(codes):
                time.sleep(0.05)
                codes = [child.poll() for child in children]
        finally:
            for child in children:
                child.kill()
        if any(codes) or not os.path.exists(rows):
            return None
        with open(rows, encoding="utf-8") as file:
            return json.load(file)


def work_in_group(request_file, rows_file, kind, what, workers, store, done, total, rank):
    """One worker of a group; worker 0 measures and writes the rows."""
    with open(request_file, encoding="utf-8") as file:
        request = json.load(file)
    workers, done, total, rank = int(workers), int(done), int(total), int(rank)
    device = torch.device("cuda", rank) if kind == "cuda" else torch.device("cpu")
    if kind == "cuda":
        torch.cuda.set_device(device)
    torch.set_num_threads(request["threads"] or max(1, (os.cpu_count() or 1) // workers))
    dtype = getattr(torch, dtype_name(request, kind))
    distributed = torch.distributed
    distributed.init_process_group(
        "nccl" if kind == "cuda" else "gloo", init_method="file://" + store, rank=rank, world_size=workers
    )

    def transfer(x):
        if what == "all_reduce":
            distributed.all_reduce(x)
        elif rank == 0:  # there and back: half of it is one transfer
            distributed.send(x, 1)
            distributed.recv(x, 1)
        else:
            distributed.recv(x, 0)
            distributed.send(x, 0)
        if kind == "cuda":
            torch.cuda.synchronize()

    rows = []
    for tokens in request["tokens"]:
        x = torch.zeros((tokens, request["model"]["hidden_size"]), dtype=dtype, device=device)
        times = []
        for run in range(request["warmup"] + request["repeats"]):
            distributed.barrier()
            begin = time.perf_counter()
            transfer(x)
            times.append((time.perf_counter() - begin) * 1e3 / (1 if what == "all_reduce" else 2))
        rows.append({"what": what, "workers": workers, "tokens": tokens, "time": summary(times[request["warmup"]:])})
        if rank == 0:
            done += 1
            print("progress", done, total, "%s of %d, tokens %d" % (what, workers, tokens), flush=True)
    if rank == 0:
        with open(rows_file, "w", encoding="utf-8") as file:
            json.dump(rows, file)
    distributed.barrier()
    distributed.destroy_process_group()


def main(request_file, result_file):
    with open(request_file, encoding="utf-8") as file:
        request = json.load(file)
    device, dtype, type_name = choose(request)
    clock = Clock(device, request["warmup"], request["repeats"])
    attention = [(1, chunk, kv) for chunk in request["chunks"] for kv in request["kv_tokens"]]
    attention += [(batch, 0, kv) for batch in request["batch_sizes"] for kv in request["kv_tokens"]]
    degrees = request["tensor_parallel_sizes"]
    total = len(degrees) * (len(request["tokens"]) + len(attention)) + len(groups(request)) * len(request["tokens"])
    result = {"mlp": [], "attention": [], "transfers": [], "left_out": [], "not_measured": []}
    result["environment"] = environment(device, type_name, fuser(device)[1])
    done = 0
    for degree in degrees:
        try:
            layer = Layer(request["model"], degree, device, dtype, fuser(device)[0])
        except RuntimeError as e:
            fail("memory", "the weights of one layer do not fit: %s" % e)
        for tokens in request["tokens"]:
            try:
                stats = {name: clock.stats(work) for name, work in layer.token_operators(tokens).items()}
                result["mlp"].append({"tensor_parallel": degree, "tokens": tokens, "stats": stats})
            except (OutOfMemory, MemoryError):
                result["left_out"].append("tokens %d" % tokens)
            done += 1
            print("progress", done, total, "tokens", tokens, flush=True)
        written = {}
        for batch, chunk, kv in attention:
            what = "chunk %d after %d" % (chunk, kv) if chunk else "decode of %d at %d" % (batch, kv)
            try:
                if layer.attention_bytes(batch, chunk, kv) > 0.8 * free_bytes(device):
                    raise OutOfMemory()
                size = max(batch, chunk)
                if size not in written:
                    written[size] = clock.stats(layer.cache_write(size))
                stats = clock.stats(layer.attention(batch, chunk, kv))
                row = {"tensor_parallel": degree, "batch": batch, "chunk": chunk, "kv": kv}
                result["attention"].append(dict(row, time=stats, cache_write=written[size]))
            except (OutOfMemory, MemoryError):
                result["left_out"].append(what)
            done += 1
            print("progress", done, total, what, flush=True)
    for what, workers in groups(request):
        reason = why_not(device, workers)
        rows = None if reason else exchange(request_file, device, what, workers, done, total)
        if rows is None:
            result["not_measured"].append("%s of %d: %s" % (what, workers, reason or "a worker failed"))
        else:
            result["transfers"] += rows
        done += len(request["tokens"])
    with open(result_file, "w", encoding="utf-8") as file:
        json.dump(result, file)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        main(sys.argv[1], sys.argv[2])
    elif len(sys.argv) == 10:
        work_in_group(*sys.argv[1:])
    else:
        fail("usage", "expected REQUEST.json RESULT.json")
