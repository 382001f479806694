package dev.stagesim.feature.pytorch.json;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Writes host and profiler traces in the format of PyTorch 2; times are in nanoseconds after a fixed origin. */
final class SyntheticFiles implements Closeable {
    private static final int BUFFER = 1 << 16;
    private static final int PID = 4242;
    private static final int FIRST_THREAD = 4300;
    private static final long ORIGIN_MICROS = 4_360_000_000_000L;
    private static final int NS_PER_MICRO = 1000;

    private final OutputStream host;
    private final OutputStream device;
    private final int rank;
    private final int ranks;
    private final int[] roots = new int[2];
    private int nextId = 1;
    private int nextRecord = 1;
    private int nextCorrelation = 1;
    private int[] recordOf = new int[1024];
    private int events;
    private int hostOps;
    private int deviceOps;

    SyntheticFiles(Path hostFile, Path deviceFile, int rank, int ranks) throws IOException {
        this.rank = rank;
        this.ranks = ranks;
        host = new BufferedOutputStream(Files.newOutputStream(hostFile), BUFFER);
        device = new BufferedOutputStream(Files.newOutputStream(deviceFile), BUFFER);
        print(
                host,
                "{\"schema\": \"1.1.1-chakra.0.0.4\", \"pid\": " + PID
                        + ", \"time\": \"2026-01-01 00:00:00\", \"start_ts\": 4360000000, \"nodes\": [\n");
        print(
                device,
                "{\"schemaVersion\": 1, \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": " + rank
                        + ", \"world_size\": " + ranks + "}, \"traceEvents\": [\n");
        int process = node(-1, "[pytorch|profiler|execution_trace|process]", 0, "", "", "");
        for (int thread = 0; thread < roots.length; thread++) {
            roots[thread] = node(thread, "[pytorch|profiler|execution_trace|thread]", process, "", "", "");
        }
        int groups = node(
                0,
                "## process_group:init ##",
                roots[0],
                "\"[{\\\"pg_name\\\": \\\"0\\\", \\\"pg_desc\\\": \\\"default_pg\\\", \\\"backend_config\\\":"
                        + " \\\"cuda:nccl\\\", \\\"ranks\\\": [], \\\"group_size\\\": " + ranks
                        + ", \\\"group_count\\\": 1}]\"",
                "\"String\"",
                "");
        operator("## process_group:init ##", 0, groups, -10_000, 5_000);
    }

    /** Root node of a thread. */
    int root(int thread) {
        return roots[thread];
    }

    /** Creates a new tensor id. */
    long tensor() {
        return nextId++;
    }

    SyntheticTrace.Counts counts() {
        return new SyntheticTrace.Counts(events, hostOps, deviceOps);
    }

    /** Adds an operator with one tensor of floats; returns its id. */
    int host(int thread, int parent, String name, long tensor, long elements) throws IOException {
        return node(thread, name, parent, tensor(tensor, elements), "\"Tensor(float)\"", "");
    }

    /** Adds the operator that records a communication. */
    int comm(int thread, int parent, String collective, long tensor, long elements) throws IOException {
        String attributes = text("collective_name", collective)
                + text("dtype", "Float")
                + number("in_msg_nelems", "uint64", elements)
                + number("out_msg_nelems", "uint64", elements)
                + text("in_split_size", "[]")
                + text("out_split_size", "[]")
                + number("global_rank_start", "uint64", 0)
                + number("global_rank_stride", "uint64", 1)
                + text("pg_name", "0")
                + text("pg_desc", "default_pg")
                + number("pg_size", "uint64", ranks);
        return node(thread, "record_param_comms", parent, tensor(tensor, elements), "\"Tensor(float)\"", attributes);
    }

    private static String tensor(long id, long elements) {
        return "[" + id + ", " + (id + 1) + ", 0, " + elements + ", 4, \"cuda:0\"]";
    }

    private int node(int thread, String name, int parent, String value, String type, String more) throws IOException {
        int id = nextId++;
        int record = thread < 0 ? 0 : nextRecord++;
        if (id >= recordOf.length) {
            recordOf = Arrays.copyOf(recordOf, id * 2);
        }
        recordOf[id] = record;
        String shape = value.isEmpty() ? "" : "[64, 64]";
        String io = "{\"values\": [" + value + "], \"shapes\": [" + shape + "], \"types\": [" + type
                + "], \"strides\": [" + (value.isEmpty() ? "" : "[64, 1]") + "]}";
        print(
                host,
                (hostOps == 0 ? "" : ",\n") + "{\"id\": " + id + ", \"name\": \"" + name + "\", \"ctrl_deps\": "
                        + (parent == 0 ? id : parent) + ", \"inputs\": " + io + ", \"outputs\": " + io
                        + ", \"attrs\": ["
                        + number("rf_id", "uint64", record) + number("fw_parent", "uint64", 0)
                        + number("seq_id", "int64", -1) + number("scope", "uint64", 0)
                        + number("tid", "uint64", thread + 1) + number("fw_tid", "uint64", 0)
                        + more + "{\"name\": \"op_schema\", \"type\": \"string\", \"value\": \"" + schema(name)
                        + "\"}]}");
        hostOps++;
        return id;
    }

    private static String schema(String name) {
        return name.equals("aten::addmm")
                ? "aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor"
                : "";
    }

    private static String number(String name, String type, long value) {
        return "{\"name\": \"" + name + "\", \"type\": \"" + type + "\", \"value\": " + value + "}, ";
    }

    private static String text(String name, String value) {
        return "{\"name\": \"" + name + "\", \"type\": \"string\", \"value\": \"" + value + "\"}, ";
    }

    /** Adds the event of a host operator. */
    void operator(String name, int thread, int node, long start, long lasts) throws IOException {
        int record = recordOf[node];
        event("\"cat\": \"cpu_op\", \"name\": \"" + name + "\"" + host(thread) + times(start, lasts)
                + ", \"args\": {\"External id\": " + record + ", \"Record function id\": " + record + ", \"Ev Idx\": "
                + events + "}");
    }

    /** Adds an annotation that is missing in the host trace. */
    void annotation(String name, int thread, long start, long lasts) throws IOException {
        int record = 900_000_000 + events;
        event("\"cat\": \"user_annotation\", \"name\": \"" + name + "\"" + host(thread) + times(start, lasts)
                + ", \"args\": {\"External id\": " + record + ", \"Record function id\": " + record + ", \"Ev Idx\": "
                + events + "}");
    }

    /** Adds a launch, the launched operator, and the flow arrow between them. */
    void launch(String name, int thread, int node, long at, long start, long lasts, int stream, String group)
            throws IOException {
        int correlation = nextCorrelation++;
        int external = recordOf[node];
        event("\"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\"" + host(thread) + times(at, 2_700)
                + ", \"args\": {\"External id\": " + external + ", \"cbid\": 211, \"correlation\": " + correlation
                + "}");
        String more = group.isEmpty() ? "" : ", \"Process Group Name\": \"" + group + "\"";
        event("\"cat\": \"kernel\", \"name\": \"" + name + "\", \"pid\": 0, \"tid\": " + stream + times(start, lasts)
                + ", \"args\": {\"External id\": " + external + ", \"queued\": 0, \"device\": 0, \"context\": 1,"
                + " \"stream\": " + stream + ", \"correlation\": " + correlation
                + ", \"registers per thread\": 128, \"grid\": [64, 8, 1], \"block\": [128, 1, 1]" + more + "}");
        arrow("s", correlation, host(thread), at);
        arrow("f", correlation, ", \"pid\": 0, \"tid\": " + stream, start);
        deviceOps++;
    }

    private void arrow(String phase, int id, String place, long at) throws IOException {
        print(
                device,
                (events == 0 ? "" : ",\n") + "{\"ph\": \"" + phase + "\", \"id\": " + id + place + ", \"ts\": "
                        + micros(at) + ", \"cat\": \"ac2g\", \"name\": \"ac2g\""
                        + (phase.equals("f") ? ", \"bp\": \"e\"" : "")
                        + "}");
        events++;
    }

    /** Adds a call that waits for all streams. */
    void synchronise(int thread, int node, long start, long lasts, boolean hasEvent) throws IOException {
        int correlation = nextCorrelation++;
        event("\"cat\": \"cuda_runtime\", \"name\": \"cudaDeviceSynchronize\"" + host(thread) + times(start, lasts)
                + ", \"args\": {\"External id\": " + recordOf[node] + ", \"cbid\": 165, \"correlation\": "
                + correlation + "}");
        if (hasEvent) {
            event("\"cat\": \"cuda_sync\", \"name\": \"Context Sync\", \"pid\": 0, \"tid\": -1" + times(start, lasts)
                    + ", \"args\": {\"External id\": " + recordOf[node]
                    + ", \"cuda_sync_kind\": \"Context Sync\", \"stream\": -1, \"correlation\": " + correlation
                    + ", \"device\": 0, \"context\": 1}");
        }
    }

    private static String host(int thread) {
        return ", \"pid\": " + PID + ", \"tid\": " + (FIRST_THREAD + thread);
    }

    private static String times(long start, long lasts) {
        return ", \"ts\": " + micros(start) + ", \"dur\": " + plain(lasts);
    }

    private static String micros(long nanos) {
        return plain(ORIGIN_MICROS * NS_PER_MICRO + nanos);
    }

    private static String plain(long nanos) {
        String fraction = Long.toString(NS_PER_MICRO + nanos % NS_PER_MICRO).substring(1);
        return nanos / NS_PER_MICRO + "." + fraction;
    }

    private void event(String members) throws IOException {
        print(device, (events == 0 ? "" : ",\n") + "{\"ph\": \"X\", " + members + "}");
        events++;
    }

    /** Ends both documents. */
    void finish() throws IOException {
        print(host, "\n], \"finish_ts\": 4370000000}\n");
        print(device, "\n], \"traceName\": \"rank " + rank + "\"}\n");
    }

    private static void print(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Override
    public void close() throws IOException {
        try (host) {
            device.close();
        }
    }
}
