package dev.stagesim.verify.packet;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.packet.FrameLog;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.collective.result.DeadlockMessage;
import dev.stagesim.sim.collective.result.SimulationResult;
import dev.stagesim.sim.network.packet.IncompleteFlow;
import dev.stagesim.sim.network.packet.PacketDeadlockMessage;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.DifferenceList;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Replays one recorded run of the packet network and compares the result. */
final class PacketCase {
    private static final String PART = "cases";
    private static final int HEAD_PORT = 11;

    private final Path path;
    private final DifferenceList differences = new DifferenceList();

    PacketCase(Path path) {
        this.path = path;
    }

    CaseResult replay() throws IOException {
        LocatedJson expected = Json.read(path.resolve("expected.json"));
        boolean hangs = expected.has("timed_out")
                && expected.get("timed_out").value() instanceof JsonValue.Bool flag
                && flag.value();
        boolean finishes = !hangs && expected.get("exit_code").asInt() == 0;
        LocatedJson recorded = Json.read(path.resolve("case.json"));
        try {
            PacketRun run = new PacketRun(path, recorded);
            if (finishes) {
                compare(expected, run);
            } else if (hangs) {
                compareHang(new ExpectedReport(path, recorded, expected), run);
                recordedFinishes(expected, run);
            } else if (run.result().stuck().isEmpty()) {
                differences.add("outcome", "an error", "a result");
            }
        } catch (StageException refused) {
            String problem = refused.problems().get(0).render();
            if (finishes || refused.kind() != StageException.Kind.INPUT) {
                differences.add("outcome", finishes ? "a result" : "an error of the input", problem);
            } else {
                containsAll(problem, new ExpectedReport(path, recorded, expected).refusal());
            }
        }
        return differences.result(PART, path);
    }

    /**
     * Replays a run in which the reference hangs. The product must stop with the recorded progress and report the
     * waiting NPUs.
     */
    private void compareHang(ExpectedReport report, PacketRun run) throws IOException {
        SimulationResult result = run.result();
        if (result.stuck().isEmpty()) {
            differences.add("outcome", "a report of the deadlock", "a result");
            return;
        }
        StageException stuck = PacketDeadlockMessage.error(
                DeadlockMessage.error(result.stuck().get(), run.network().npus(), result.endNs()), run.network());
        String text = stuck.problems().get(0).render();
        containsAll(text, report.stuck(result.finishNs()));
        List<String> causes = report.causes();
        List<IncompleteFlow> open = run.network().openFlows();
        open.forEach(flow -> containsOne(flow.waitsFor(), causes));
        if (open.isEmpty()) {
            containsOne(text, ExpectedReport.messages());
        }
        lines("fct", "fct_partial.txt.gz", run.flows, true);
        lines("pfc", "pfc.txt.gz", run.pauses, true);
    }

    /** NPUs that finished before the reference hung must finish at the recorded time. */
    private void recordedFinishes(LocatedJson expected, PacketRun run) {
        List<LocatedJson> recorded = expected.get("finish_cycles").items();
        for (int rank = 0; rank < recorded.size(); rank++) {
            long actual = run.result().finishNs()[rank];
            if (!recorded.get(rank).isNull()) {
                differences.same(
                        "finish_cycles of NPU " + rank, recorded.get(rank).asLong(), actual);
            }
        }
    }

    private void containsOne(String report, List<String> pieces) {
        if (pieces.stream().noneMatch(report::contains)) {
            differences.add("report", "a report with one of: " + pieces, report);
        }
    }

    private void containsAll(String report, List<String> pieces) {
        for (String piece : pieces) {
            if (!report.contains(piece)) {
                differences.add("report", "a report with: " + piece, report);
            }
        }
    }

    private void compare(LocatedJson expected, PacketRun run) throws IOException {
        SimulationResult result = run.result();
        if (result.stuck().isPresent()) {
            differences.add("outcome", "a result", "stuck: " + result.stuck().get());
            return;
        }
        cycles("finish_cycles", expected, result.finishNs());
        cycles("exposed_comm_cycles", expected, result.exposedNs());
        order(expected.get("finish_order"), result.finishOrder());
        number("end_time_ns", expected, result.endNs());
        number("max_rtt_ns", expected, run.network().longestRoundTrip());
        number("max_bdp_bytes", expected, run.network().largestProduct());
        number("rng_streams_used", expected, run.network().randomStreams());
        number("events", expected, run.network().referenceEvents());
        lines("fct", "fct.txt.gz", run.flows, false);
        lines("pfc", "pfc.txt.gz", run.pauses, false);
        if (Files.exists(path.resolve("qlen.txt.gz"))) {
            lines("qlen", "qlen.txt.gz", run.queues, false);
        }
        if (Files.exists(path.resolve("mix.tr.gz"))) {
            frames(read("mix.tr.gz"), run.frames.toByteArray());
        }
    }

    private void number(String what, LocatedJson expected, long actual) {
        expected.find(what).filter(at -> !at.isNull()).ifPresent(at -> differences.same(what, at.asLong(), actual));
    }

    private void cycles(String what, LocatedJson expected, long[] actual) {
        LocatedJson recorded = expected.get(what);
        for (int rank = 0; rank < actual.length; rank++) {
            LocatedJson wanted =
                    recorded.value() instanceof JsonValue.Arr ? recorded.items().get(rank) : recorded.get("all");
            if (!differences.same(what + " of NPU " + rank, wanted.asLong(), actual[rank])) {
                return;
            }
        }
    }

    private void order(LocatedJson recorded, int[] actual) {
        boolean ascending = !(recorded.value() instanceof JsonValue.Arr);
        for (int i = 0; i < actual.length; i++) {
            int wanted = ascending ? i : recorded.items().get(i).asInt();
            if (!differences.same("finish_order at " + i, wanted, actual[i])) {
                return;
            }
        }
    }

    /**
     * Compares a file line by line. If the recorded run was killed, its file may be truncated
     * (specs/packet-network.md).
     */
    private void lines(String what, String file, ByteArrayOutputStream out, boolean isCutShort) throws IOException {
        String wanted = new String(read(file), StandardCharsets.US_ASCII);
        String actual = out.toString(StandardCharsets.US_ASCII);
        if (!(isCutShort && actual.startsWith(wanted))) {
            differences.lines(what, wanted, actual);
        }
    }

    private byte[] read(String name) throws IOException {
        Path file = path.resolve(name);
        if (!Files.exists(file)) {
            return new byte[0];
        }
        return InputFile.bytes(file);
    }

    /**
     * Compares frame files; the order of ports in the head and the padding of records depend on memory there
     * (specs/packet-network.md), so that the ports are compared as a set.
     */
    private void frames(byte[] wanted, byte[] actual) {
        if (!differences.same("frames bytes", wanted.length, actual.length)) {
            return;
        }
        int ports = (wanted[0] & 0xff) | ((wanted[1] & 0xff) << 8);
        int head = ports * HEAD_PORT + 2 * Integer.BYTES;
        if (!differences.same("ports of frames", ports(wanted), ports(actual))) {
            return;
        }
        for (int at = head; at < wanted.length; at += FrameLog.RECORD) {
            String place = "frame " + (at - head) / FrameLog.RECORD;
            if (!differences.same(place, masked(wanted, at), masked(actual, at))) {
                return;
            }
        }
    }

    /** Reads the header: ports in order of their bytes, and the largest window in the last entry. */
    private static List<String> ports(byte[] file) {
        HexFormat hex = HexFormat.of();
        int count = (file[0] & 0xff) | ((file[1] & 0xff) << 8);
        int end = Integer.BYTES + count * HEAD_PORT;
        return Stream.concat(
                        IntStream.range(0, count)
                                .map(port -> Integer.BYTES + port * HEAD_PORT)
                                .mapToObj(at -> hex.formatHex(file, at, at + HEAD_PORT))
                                .sorted(),
                        Stream.of(hex.formatHex(file, end, end + Integer.BYTES)))
                .toList();
    }

    private static String masked(byte[] file, int at) {
        byte[] record = Arrays.copyOfRange(file, at, at + FrameLog.RECORD);
        int used =
                switch (record[26] & 0xff) {
                    case 0x11 -> 52;
                    case 0xfe -> 41;
                    default -> 44;
                };
        Arrays.fill(record, 30, 32, (byte) 0);
        Arrays.fill(record, used, FrameLog.RECORD, (byte) 0);
        return HexFormat.of().formatHex(record);
    }
}
