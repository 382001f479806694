package dev.stagesim.feature.pytorch.link;

import dev.stagesim.feature.pytorch.convert.ConvertRules;
import dev.stagesim.feature.pytorch.convert.ConvertedTrace;
import dev.stagesim.feature.pytorch.convert.Converter;
import dev.stagesim.feature.pytorch.trace.HostOp;
import dev.stagesim.feature.pytorch.trace.HostTrace;
import dev.stagesim.feature.pytorch.trace.OpFacts;
import dev.stagesim.feature.pytorch.trace.OpText;
import dev.stagesim.feature.pytorch.trace.TraceHeader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Builds a recorded run: operators of the host and events of the profiler. */
final class Recording {
    private static final OpText NO_TEXT = new OpText(new byte[0], new int[12]);

    final DeviceTrace.Builder events = new DeviceTrace.Builder("kineto.json");
    final List<HostOp> ops = new ArrayList<>();

    Recording() {
        op(1, OpFacts.NONE, "[pytorch|profiler|execution_trace|process]", 0);
        op(2, 1, "[pytorch|profiler|execution_trace|thread]", 0);
    }

    /** Adds a host operator without a profiler event. */
    Recording op(long id, long parent, String name, long record) {
        OpFacts facts = new OpFacts(record, 0, -1, 0, 1, 0, Optional.of(""), Optional.empty());
        ops.add(new HostOp(id, parent, name, facts, NO_TEXT));
        return this;
    }

    /** Adds an operator to both traces, matched by its record function id. */
    Recording call(long id, long parent, String name, String thread, double start, double lasts) {
        op(id, parent, name, id);
        events.event(EventKind.CPU_OP, name, thread, start, lasts).external(id).record(id);
        return this;
    }

    /** Adds a launch and its device operator. */
    Recording launch(
            long external,
            int correlation,
            String thread,
            double at,
            String kernel,
            double start,
            double lasts,
            int stream) {
        events.event(EventKind.RUNTIME, "cudaLaunchKernel", thread, at, 1)
                .external(external)
                .correlation(correlation);
        return kernel(external, correlation, kernel, start, lasts, stream);
    }

    /** Adds a device operator without a launch. */
    Recording kernel(long external, int correlation, String kernel, double start, double lasts, int stream) {
        events
                .event(EventKind.KERNEL, kernel, "gpu" + stream, start, lasts)
                .external(external)
                .correlation(correlation)
                .stream(stream);
        return this;
    }

    /** Adds a runtime call without a launch. */
    Recording runtime(long external, int correlation, String name, String thread, double start, double lasts) {
        events.event(EventKind.RUNTIME, name, thread, start, lasts)
                .external(external)
                .correlation(correlation);
        return this;
    }

    HostTrace host() {
        return new HostTrace(
                "host.json", new TraceHeader("1.1.1-chakra.0.0.4", 1, "now", 0, 1, List.of(), List.of()), ops);
    }

    LinkResult link() {
        return Linker.link(host(), events.build(), new LinkRules(false, LinkRules.DEFAULT_PAUSE, Optional.empty()));
    }

    LinkResult linkLikeReference() {
        return Linker.link(host(), events.build(), new LinkRules(true, LinkRules.DEFAULT_PAUSE, Optional.empty()));
    }

    ConvertedTrace convert() {
        return Converter.convert(link().trace(), new ConvertRules(false, 0, true));
    }
}
