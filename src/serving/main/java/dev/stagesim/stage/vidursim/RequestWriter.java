package dev.stagesim.stage.vidursim;

import dev.stagesim.contract.Column;
import dev.stagesim.contract.RequestStatus;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.background.BackgroundThread;
import dev.stagesim.io.background.Unchecked;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.serving.ServingInput;
import dev.stagesim.sim.serving.metrics.BatchWindow;
import dev.stagesim.sim.serving.replica.RequestProgress;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.workload.ClosedLoop;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * Writes {@code request_metrics.csv} in a second thread, during the simulation the rows of requests whose states are final;
 * records the replica of each request.
 */
final class RequestWriter implements ServingRecorder, Closeable {
    private static final List<String> LABELS = List.of("adapter", "priority");

    private final int[] replicaOf;
    private final ServingInput input;
    private final boolean quirks;
    private final BatchWindow window;
    /** True if requests enter in the order of their sessions instead of the trace. */
    private final boolean areInSessions;

    private final TableWriter out;
    private final BackgroundThread thread;
    /** Number of leading requests that were submitted to the thread. */
    private int submitted;

    RequestWriter(Path folder, ServingInput input, boolean quirks, BatchWindow window) throws IOException {
        this.window = window;
        this.input = input;
        this.replicaOf = new int[input.trace().size()];
        this.quirks = quirks;
        areInSessions =
                input.trace().closedLoop().filter(ClosedLoop::countsSessions).isPresent();
        Arrays.fill(replicaOf, -1);
        boolean hasLabels = input.trace().hasLabels();
        List<String> columns = Tables.REQUEST_METRICS.columns().stream()
                .map(Column::name)
                .filter(name -> !name.equals("error") && (hasLabels || !LABELS.contains(name)))
                .toList();
        out = TableWriter.create(folder.resolve(Tables.REQUEST_METRICS.name()), Tables.REQUEST_METRICS, columns);
        thread = new BackgroundThread("requests");
    }

    @Override
    public void requestAssigned(int request, int replica, double time) {
        replicaOf[request] = replica;
    }

    @Override
    public void requestsSettled(int end, RequestStates states) {
        if (window.isAll()) { // otherwise the window may still change
            Unchecked.run(() -> submit(end, states));
        }
    }

    private void submit(int end, RequestStates states) throws IOException {
        int from = submitted;
        submitted = end;
        RequestTimes times = new RequestTimes(input, states);
        RequestProgress progress = states.progress; // of these requests, also after the simulation has replaced it
        thread.add(() -> {
            write(states, progress, times, from, end);
            states.release(end);
            return true;
        });
    }

    /** Writes the rows that are left, and waits for all of them. */
    void finish(RequestStates states) throws IOException {
        submit(states.size(), states);
        thread.finish();
    }

    @Override
    public void close() throws IOException {
        try (out) {
            thread.close();
        }
    }

    private void write(RequestStates states, RequestProgress progress, RequestTimes times, int from, int end)
            throws IOException {
        for (int request = from; request < end; request++) {
            if (window.isExcluded(request) || !times.hasEntered(request)) {
                continue;
            }
            identity(states, times, request);
            if (states.completed(request)) {
                completed(states, progress, times, request);
            } else {
                unfinished(states, times, request);
            }
            rest(states, times, request);
            out.endRow();
        }
    }

    private void identity(RequestStates states, RequestTimes times, int request) throws IOException {
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

    private void completed(RequestStates states, RequestProgress progress, RequestTimes times, int request)
            throws IOException {
        double decode = quirks ? states.decodeTokens(request) : input.trace().decodeTokens(request);
        double prefill = quirks ? states.prefillTokens(request) : input.trace().prefillTokens(request);
        long endToEnd = times.endToEnd(request);
        long execution = RoundedNanos.of(progress.execution(request));
        long model = RoundedNanos.of(progress.modelExecution(request));
        long preempted = RoundedNanos.of(progress.preempted(request));
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
    private void unfinished(RequestStates states, RequestTimes times, int request) throws IOException {
        out.putEmpty().putEmpty().putEmpty();
        out.putIf(states.everScheduled(request), RoundedNanos.of(states.scheduledAt(request)) - times.arrival(request));
        for (int i = 0; i < 10; i++) {
            out.putEmpty();
        }
    }

    private void rest(RequestStates states, RequestTimes times, int request) throws IOException {
        boolean isFirst = request == 0 || areInSessions;
        out.putIf(!isFirst, isFirst ? 0 : times.arrival(request) - times.arrival(request - 1));
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
