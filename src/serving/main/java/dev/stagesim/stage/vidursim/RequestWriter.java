package dev.stagesim.stage.vidursim;

import dev.stagesim.contract.Column;
import dev.stagesim.contract.RequestStatus;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.serving.ServingInput;
import dev.stagesim.sim.serving.metrics.BatchWindow;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Writes {@code request_metrics.csv} after the simulation; records the replica of each request during it. */
final class RequestWriter implements ServingRecorder {
    private static final List<String> LABELS = List.of("adapter", "priority");

    private final int[] replicaOf;
    private final ServingInput input;
    private final boolean quirks;
    private final BatchWindow window;

    RequestWriter(ServingInput input, boolean quirks, BatchWindow window) {
        this.window = window;
        this.input = input;
        this.replicaOf = new int[input.trace().size()];
        this.quirks = quirks;
        Arrays.fill(replicaOf, -1);
    }

    @Override
    public void requestAssigned(int request, int replica, double time) {
        replicaOf[request] = replica;
    }

    void write(Path folder, RequestStates states, RequestTimes times) throws IOException {
        boolean hasLabels = input.trace().hasLabels();
        List<String> columns = Tables.REQUEST_METRICS.columns().stream()
                .map(Column::name)
                .filter(name -> !name.equals("error") && (hasLabels || !LABELS.contains(name)))
                .toList();
        Path file = folder.resolve(Tables.REQUEST_METRICS.name());
        try (TableWriter out = TableWriter.create(file, Tables.REQUEST_METRICS, columns)) {
            for (int request = 0; request < states.size(); request++) {
                if (window.isExcluded(request) || !times.hasEntered(request)) {
                    continue;
                }
                identity(out, states, times, request);
                if (states.completed(request)) {
                    completed(out, states, times, request);
                } else {
                    unfinished(out, states, times, request);
                }
                rest(out, states, times, request);
                out.endRow();
            }
        }
    }

    private void identity(TableWriter out, RequestStates states, RequestTimes times, int request) throws IOException {
        long arrival = times.arrival(request);
        out.put((long) input.id(request)).put(arrival);
        if (states.emittedTokens(request) > 0) {
            out.put(times.firstToken(request)).put(times.timeToFirstToken(request));
        } else {
            out.putEmpty().putEmpty();
        }
        boolean completed = states.completed(request);
        out.putIf(completed, times.completion(request));
        RequestStatus status = completed ? RequestStatus.COMPLETED : RequestStatus.UNFINISHED;
        out.put((long) input.trace().prefillTokens(request))
                .put((long) input.trace().decodeTokens(request))
                .put((long) states.emittedTokens(request))
                .put(status.text());
    }

    private void completed(TableWriter out, RequestStates states, RequestTimes times, int request) throws IOException {
        double decode = quirks ? states.decodeTokens(request) : input.trace().decodeTokens(request);
        double prefill = quirks ? states.prefillTokens(request) : input.trace().prefillTokens(request);
        long endToEnd = times.endToEnd(request);
        long execution = RoundedNanos.of(states.execution(request));
        long model = RoundedNanos.of(states.modelExecution(request));
        long preempted = RoundedNanos.of(states.preempted(request));
        long prefillTime = times.firstToken(request) - RoundedNanos.of(states.scheduledAt(request));
        out.put(endToEnd).put(endToEnd / decode);
        out.putIf(states.emittedTokens(request) > 1, times.tpot(request));
        out.put(RoundedNanos.of(states.scheduledAt(request)) - times.arrival(request))
                .put(execution)
                .put(execution / decode)
                .put(model)
                .put(model / decode)
                .put(preempted)
                .put(execution + preempted)
                .put((execution + preempted) / decode)
                .put(prefillTime)
                .put(prefillTime / prefill)
                .put((times.completion(request) - times.firstToken(request)) / decode);
    }

    /** Writes a request that did not complete, with only its scheduling delay. */
    private void unfinished(TableWriter out, RequestStates states, RequestTimes times, int request) throws IOException {
        out.putEmpty().putEmpty().putEmpty();
        out.putIf(states.everScheduled(request), RoundedNanos.of(states.scheduledAt(request)) - times.arrival(request));
        for (int i = 0; i < 10; i++) {
            out.putEmpty();
        }
    }

    private void rest(TableWriter out, RequestStates states, RequestTimes times, int request) throws IOException {
        if (request == 0) {
            out.putEmpty();
        } else {
            out.put(times.arrival(request) - times.arrival(request - 1));
        }
        long prefill = input.trace().prefillTokens(request);
        long decode = input.trace().decodeTokens(request);
        out.put(prefill + decode).put((double) prefill / decode).put((long) states.restarts(request));
        out.putUnlessNegative(replicaOf[request]);
        if (input.trace().hasLabels()) {
            out.put((long) input.trace().adapter(request))
                    .put((long) input.trace().priority(request));
        }
    }
}
