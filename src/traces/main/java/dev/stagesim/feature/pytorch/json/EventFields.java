package dev.stagesim.feature.pytorch.json;

import dev.stagesim.feature.pytorch.link.DeviceTrace;
import dev.stagesim.feature.pytorch.link.EventKind;
import dev.stagesim.feature.pytorch.link.SyncFacts;
import dev.stagesim.feature.pytorch.trace.CommFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Members of the profiler event being read. */
final class EventFields {
    private static final Pattern NUMBER = Pattern.compile("[0-9]+");
    private static final int MAX_DIGITS = 9;

    EventKind kind = EventKind.OTHER;
    String name = "";
    String thread = "0";
    double start;
    double duration;
    long external;
    long record;
    long correlation;
    long stream;
    long device;
    String group = "";
    String ranks = "";
    String collective = "";
    String dtype = "";
    long inElements;
    long outElements;
    long sourceRank;
    long targetRank;
    String sync = "";
    long awaitedStream;
    long recordCorrelation;

    void clear() {
        kind = EventKind.OTHER;
        name = "";
        thread = "0";
        start = 0;
        duration = 0;
        external = -1;
        record = DeviceTrace.NONE;
        correlation = -1;
        stream = DeviceTrace.NONE;
        device = DeviceTrace.NONE;
        group = "";
        ranks = "";
        collective = "";
        dtype = "";
        inElements = -1;
        outElements = -1;
        sourceRank = -1;
        targetRank = -1;
        sync = "";
        awaitedStream = -1;
        recordCorrelation = -1;
    }

    /** Adds the event unless linking ignores its kind. */
    void addTo(DeviceTrace.Builder trace) {
        if (kind == EventKind.OTHER && external < 0) {
            return;
        }
        trace
                .event(kind, name, thread, start, duration)
                .external(external)
                .record(record)
                .correlation(correlation)
                .stream(stream)
                .device(device);
        if (!group.isEmpty() || !collective.isEmpty() || sourceRank >= 0 || targetRank >= 0) {
            trace.comm(new CommFacts(
                    given(collective),
                    given(dtype),
                    inElements,
                    outElements,
                    given(group),
                    ranks(ranks),
                    (int) sourceRank,
                    (int) targetRank));
        }
        if (kind == EventKind.SYNC) {
            syncFacts().ifPresent(trace::sync);
        }
    }

    private Optional<SyncFacts> syncFacts() {
        for (SyncFacts.Kind each : SyncFacts.Kind.values()) {
            if (each.label().equals(sync)) {
                return Optional.of(new SyncFacts(
                        each, stream == DeviceTrace.NONE ? -1 : stream, awaitedStream, recordCorrelation));
            }
        }
        return Optional.empty();
    }

    private static Optional<String> given(String text) {
        return text.isEmpty() ? Optional.empty() : Optional.of(text);
    }

    /**
     * Parses the numbers in a string such as {@code [0, 1, 2, 3]}; returns an empty list if the string is truncated.
     */
    private static List<Integer> ranks(String text) {
        List<Integer> numbers = new ArrayList<>();
        if (text.isEmpty() || text.contains("...")) {
            return numbers;
        }
        Matcher matcher = NUMBER.matcher(text);
        while (matcher.find()) {
            String digits = matcher.group();
            if (digits.length() > MAX_DIGITS) {
                return List.of(); // too large for a rank, so the string is not a list of ranks
            }
            numbers.add(Integer.parseInt(digits));
        }
        return numbers;
    }
}
