package dev.stagesim.feature.suite;

import dev.stagesim.io.json.LocatedJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Results of one process. */
final class FrameworkRun {
    /** One step. */
    record Step(
            long number,
            String phase,
            long wallNs,
            long inputNs,
            String loss,
            Optional<Double> accuracy,
            long samples,
            long hostCalls) {}

    /**
     * One operation of a traced step.
     *
     * @param startNs start of its kernel on the device clock
     * @param durationNs duration of the kernel
     * @param beforeNs framework time before the kernel
     * @param afterNs framework time after the kernel
     */
    record Node(
            long step,
            String device,
            String name,
            String op,
            long startNs,
            long durationNs,
            long beforeNs,
            long afterNs,
            long thread) {
        /** Time when the framework started the operation. */
        long takenNs() {
            return startNs - beforeNs;
        }

        /** Time when the framework finished the operation. */
        long doneNs() {
            return startNs + durationNs + afterNs;
        }
    }

    final List<Step> steps = new ArrayList<>();
    final List<Node> nodes = new ArrayList<>();
    /** Start of traced steps by number, on the clock of their operations. */
    final Map<Long, Long> calls = new TreeMap<>();

    Optional<LocatedJson> built = Optional.empty();
    Optional<LocatedJson> probe = Optional.empty();
    Optional<LocatedJson> done = Optional.empty();
    Optional<LocatedJson> inference = Optional.empty();
    /** Duration of a framework call without computation. */
    long sessionNs;

    void take(LocatedJson answer) {
        switch (answer.get("event").asString()) {
            case "built" -> built = Optional.of(answer);
            case "probe" -> probe = Optional.of(answer);
            case "done" -> done = Optional.of(answer);
            case "inference" -> inference = Optional.of(answer);
            case "call" ->
                calls.put(answer.get("step").asLong(), answer.get("epoch_ns").asLong());
            case "session" -> sessionNs = answer.get("ns").asLong();
            case "step" -> steps.add(step(answer));
            case "node" -> nodes.add(node(answer));
            default -> {
                // For human readers of the output only.
            }
        }
    }

    private static Step step(LocatedJson answer) {
        String accuracy = answer.get("accuracy").asString();
        return new Step(
                answer.get("step").asLong(),
                answer.get("phase").asString(),
                answer.get("wall_ns").asLong(),
                answer.get("input_ns").asLong(),
                answer.get("loss").asString(),
                accuracy.equals("NaN") ? Optional.empty() : Optional.of(Double.parseDouble(accuracy)),
                answer.get("samples").asLong(),
                answer.get("host_calls").asLong());
    }

    private static Node node(LocatedJson answer) {
        long begin = answer.get("begin_ns").asLong();
        long duration = Math.max(0, answer.get("end_ns").asLong() - begin);
        return new Node(
                answer.get("step").asLong(),
                answer.get("device").asString(),
                answer.get("node").asString(),
                answer.get("label").asString(),
                answer.get("start_ns").asLong() + begin,
                duration,
                begin,
                Math.max(0, answer.get("all_ns").asLong() - begin - duration),
                answer.get("thread").asLong());
    }

    /** Durations of the steps in a phase. */
    double[] wall(String phase) {
        return steps.stream()
                .filter(step -> step.phase().equals(phase))
                .mapToDouble(Step::wallNs)
                .toArray();
    }

    private LocatedJson finished() {
        return done.orElseThrow(() -> new IllegalStateException("the process exited with code 0 but reported no end"));
    }

    String lossHash() {
        return finished().get("loss_sha256").asString();
    }

    boolean isFinite() {
        return finished().get("finite").asBool();
    }

    long peakBytes() {
        return finished().get("peak_bytes").asLong();
    }

    long parameters() {
        return built.orElseThrow().get("parameters").asLong();
    }
}
