package dev.stagesim.verify.fidelity;

import dev.stagesim.model.StageException;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.sim.serving.OnlineServing;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.ArrayDeque;
import java.util.Arrays;

/** Serves the requests of a client on a simulated replica, and collects their latencies. */
final class LoadRun {
    /** Milliseconds per second. */
    static final double MS = 1e3;

    private final ServingSpec spec;
    private final OperatorTimes times;

    LoadRun(ReplicaModel replica) {
        Subject.kvTokens(replica); // rejects requests that do not fit
        spec = replica.spec();
        times = replica.times();
    }

    /** Times of requests in milliseconds, and the gaps between tokens. */
    record LoadResult(double[] ttftMs, double[] tpotMs, double[] e2eMs, double[] gapsMs, double tokensPerSecond) {
        /** Returns the results with the given token throughput in tokens per second. */
        LoadResult rate(double rate) {
            return new LoadResult(ttftMs, tpotMs, e2eMs, gapsMs, rate);
        }

        /**
         * Returns the results for a client that reads {@code rate} tokens per second. If the client is slower than the
         * server, the client determines the gaps.
         */
        LoadResult read(double rate) {
            if (tokensPerSecond <= rate) {
                return this;
            }
            double slower = tokensPerSecond / rate;
            double[] gaps = Arrays.stream(gapsMs).map(ms -> ms * slower).toArray();
            double[] tpot = Arrays.stream(tpotMs).map(ms -> ms * slower).toArray();
            return new LoadResult(ttftMs, tpot, e2eMs, gaps, rate);
        }
    }

    /** Serves requests that arrive at given times. */
    LoadResult replay(RequestTrace trace) {
        GapRecorder gaps = new GapRecorder(1, false);
        try {
            ServingOutcome outcome = ServingSimulator.run(spec, trace, times, gaps);
            if (outcome.ending() != ServingOutcome.Ending.FINISHED) {
                throw new UnpredictableRow("the simulated engine cannot serve the load");
            }
            RequestStates states = outcome.states();
            Collected all = new Collected(trace.size());
            for (int i = 0; i < trace.size(); i++) {
                all.add(states, i, states.arrivedAt(i), states.decodeTokens(i));
            }
            return all.served(gaps, outcome.endSeconds());
        } catch (StageException e) {
            throw Subject.refusal(e);
        }
    }

    /** Latencies of the completed requests. */
    private static final class Collected {
        private final double[] ttft;
        private final double[] tpot;
        private final double[] e2e;
        private int size;
        private long tokens;

        Collected(int max) {
            ttft = new double[max];
            tpot = new double[max];
            e2e = new double[max];
        }

        void add(RequestStates states, int place, double arrived, int output) {
            double first = states.prefillCompletedAt(place);
            double end = states.completedAt(place);
            ttft[size] = (first - arrived) * MS;
            tpot[size] = output > 1 ? (end - first) / (output - 1) * MS : 0;
            e2e[size] = (end - arrived) * MS;
            tokens += output;
            size++;
        }

        LoadResult served(GapRecorder gaps, double seconds) {
            return new LoadResult(
                    Arrays.copyOf(ttft, size),
                    Arrays.copyOf(tpot, size),
                    Arrays.copyOf(e2e, size),
                    gaps.values(),
                    tokens / seconds);
        }
    }

    /** Serves a number of streams. Each stream sends its next request when the previous one completes. */
    LoadResult closed(int streams, Client client) {
        GapRecorder gaps = client.gaps();
        AdmissionGate gate = new AdmissionGate(client.admission());
        Streams sending = new Streams(streams, client, gate);
        SteadyWindow window =
                new SteadyWindow(client.steady() ? streams : client.requests(), client.requests() - streams - 1);
        try {
            OnlineServing service = new OnlineServing(spec, times, streams, () -> 1.0, gaps, gate, sending, window);
            sending.start(service);
            double now = 0;
            while (sending.all.size < client.requests()) {
                now = Math.min(service.nextSeconds(), sending.coldUntil);
                if (Double.isInfinite(now)) {
                    throw new UnpredictableRow("the simulated engine cannot serve the load");
                }
                service.advanceTo(now);
                sending.next(service, now);
            }
            LoadResult served = sending.all.served(gaps, now);
            return window.tokensPerSecond().isPresent()
                    ? served.rate(window.tokensPerSecond().getAsDouble())
                    : served;
        } catch (StageException e) {
            throw Subject.refusal(e);
        }
    }

    /** The requests of a client, with their results. */
    private static final class Streams implements ServingRecorder {
        private final Client client;
        private final AdmissionGate gate;
        private final int count;
        private final int[] outputs;
        private final double[] sentAt;
        private final Collected all;
        private final ArrayDeque<Double> waiting = new ArrayDeque<>();
        private int sent;

        /** Time from which the first single prompt, which waits for its kernels, has been waiting; NaN if none has come. */
        private double coldSince = Double.NaN;

        private double coldUntil = Double.POSITIVE_INFINITY;

        Streams(int count, Client client, AdmissionGate gate) {
            this.client = client;
            this.gate = gate;
            this.count = count;
            outputs = new int[count];
            sentAt = new double[count];
            all = new Collected(client.requests());
        }

        void start(OnlineServing service) {
            while (sent < Math.min(count, client.requests())) {
                send(service, 0, client.coldSeconds());
            }
        }

        private void send(OnlineServing service, double since, double now) {
            int output = client.spread().output(sent);
            int place = service.submit(now, client.spread().input(sent), output);
            outputs[place] = output;
            sentAt[place] = since;
            sent++;
        }

        void next(OnlineServing service, double now) {
            if (coldUntil <= now) {
                coldUntil = Double.POSITIVE_INFINITY;
                if (sent < client.requests()) {
                    send(service, coldSince, now);
                }
            }
            if (waiting.isEmpty() || !gate.opens(service.inProgress() == 0)) {
                return;
            }
            while (!waiting.isEmpty() && sent < client.requests()) {
                double since = waiting.removeFirst();
                if (sent == count && client.coldSingleSeconds() > 0 && Double.isNaN(coldSince)) {
                    coldSince = since;
                    coldUntil = now + client.coldSingleSeconds();
                } else {
                    send(service, since, now);
                }
            }
            waiting.clear();
        }

        @Override
        public void requestCompleted(int place, double time, RequestStates states) {
            all.add(states, place, sentAt[place], outputs[place]);
            waiting.addLast(time);
        }
    }
}
