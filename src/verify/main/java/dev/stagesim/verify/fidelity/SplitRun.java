package dev.stagesim.verify.fidelity;

import dev.stagesim.predict.ForwardingTimes;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.sim.serving.OnlineServing;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * Streams of a deployment that computes prompts and tokens on different workers. One decode engine is simulated with its share
 * of the streams, and the prefill engines that it shares with the others: their prompts arrive as well, at random times.
 */
final class SplitRun {
    /** Rate of a device's network card in bytes per second (400 Gb/s), over which the cache of a prompt moves. */
    private static final double TRANSFER_BYTES_PER_SECOND = 50e9;

    private final Subject prefill;
    private final Subject decode;
    private final int prefillEngines;
    private final int decodeEngines;

    SplitRun(Subject prefill, Subject decode, Pool.Split pools) {
        this.prefill = prefill;
        this.decode = decode;
        prefillEngines = pools.prefill().engines();
        decodeEngines = pools.decode().engines();
    }

    /** Decode attention over the prompt, which another engine has computed. */
    private record Shifted(OperatorTimes operators, int prompt) implements ForwardingTimes {
        @Override
        public double decodeMilliseconds(int batch, int kvTokens) {
            int granularity = coverage().kvGranularity();
            int context = kvTokens + (prompt + granularity - 1) / granularity * granularity;
            return operators.decodeMilliseconds(
                    batch, Math.min(context, coverage().maxKvTokens()));
        }
    }

    /** An arrival at a prefill engine; the stream is -1 for prompts of other decode engines. */
    private record Arrival(double seconds, int stream) {
        static final Comparator<Arrival> ORDER =
                Comparator.comparingDouble(Arrival::seconds).thenComparingInt(Arrival::stream);
    }

    /** Serves the requests of {@code all} streams. */
    LoadRun.LoadResult closed(Client client, int all) {
        int streams = Math.max(1, (int) Math.round((double) all / decodeEngines));
        int requests = Math.max(streams, client.requests() * streams / all);
        LoadRun.LoadResult served = new Loop(client, streams, requests, Math.max(1, all / streams)).run();
        return served.rate(served.tokensPerSecond() * all / streams);
    }

    /** The events of a run. */
    private final class Loop {
        private final Client client;
        private final int streams;
        private final int others;
        private final OnlineServing[] prompts;
        private final OnlineServing tokens;
        private final GapRecorder gaps;
        private final PriorityQueue<Arrival> arrivals = new PriorityQueue<>(Arrival.ORDER);
        private final PriorityQueue<Arrival> handovers = new PriorityQueue<>(Arrival.ORDER);
        private final ArrayDeque<Integer> ended = new ArrayDeque<>();
        private final SplittableRandom random = new SplittableRandom(1);
        private final double transferSeconds;
        private final double[] sentAt;
        private final int[] requestOf;
        private final int[] streamOf;
        private final int[][] places;
        private final double[] ttft;
        private final double[] tpot;
        private final double[] e2e;
        private int sent;
        private int done;
        private int next;
        private long outputs;
        private double now;

        Loop(Client client, int streams, int requests, int sharing) {
            this.client = client;
            this.streams = streams;
            int groups = BigInteger.valueOf(prefillEngines)
                    .gcd(BigInteger.valueOf(decodeEngines))
                    .intValueExact();
            int ratio = Math.min(sharing, decodeEngines / groups);
            others = ratio - 1;
            int engines = prefillEngines / groups;
            int longest = client.spread().longest();
            ReplicaModel computing = prefill.of(longest, prefill.sequences());
            prompts = new OnlineServing[engines];
            for (int i = 0; i < engines; i++) {
                prompts[i] = new OnlineServing(
                        computing.spec(), computing.times(), ratio * requests + 1, () -> 1.0, new Prompts(i));
            }
            ReplicaModel any = decode.of(longest);
            int mean = client.spread().meanInput();
            long fit = Math.max(1, Subject.kvTokens(any) / longest);
            ReplicaModel generating = decode.of(longest, (int) Math.min(fit, decode.sequences()));
            gaps = client.gaps();
            tokens = new OnlineServing(
                    generating.spec(),
                    new Shifted(generating.times(), mean),
                    streams + 1,
                    () -> 1.0,
                    gaps,
                    new Tokens());
            transferSeconds = computing.tokenBytes() * mean / TRANSFER_BYTES_PER_SECOND / computing.devices();
            sentAt = new double[streams];
            requestOf = new int[streams];
            streamOf = new int[streams + 1];
            places = new int[engines][ratio * requests + 1];
            ttft = new double[requests];
            tpot = new double[requests];
            e2e = new double[requests];
        }

        LoadRun.LoadResult run() {
            for (int stream = 0; stream < streams; stream++) {
                send(stream, 0);
            }
            while (done < ttft.length) {
                advance();
            }
            return new LoadRun.LoadResult(ttft, tpot, e2e, gaps.values(), outputs / now);
        }

        private void advance() {
            double time = tokens.nextSeconds();
            for (OnlineServing engine : prompts) {
                time = Math.min(time, engine.nextSeconds());
            }
            double arrival = arrivals.isEmpty()
                    ? Double.POSITIVE_INFINITY
                    : arrivals.peek().seconds();
            double handover = handovers.isEmpty()
                    ? Double.POSITIVE_INFINITY
                    : handovers.peek().seconds();
            now = Math.min(time, Math.min(arrival, handover));
            if (Double.isInfinite(now)) {
                throw new UnpredictableRow("the simulated engine cannot serve the load");
            }
            if (handover == now) {
                Arrival first = handovers.remove();
                int output = client.spread().output(requestOf[first.stream()]);
                streamOf[tokens.submit(now, 1, Math.max(1, output - 1))] = first.stream();
            } else if (arrival == now) {
                Arrival first = arrivals.remove();
                int engine = next++ % prompts.length;
                int request = first.stream() < 0 ? next : requestOf[first.stream()];
                int computed = client.computed(client.spread().input(request));
                places[engine][prompts[engine].submit(now, computed, 1)] = first.stream();
            } else {
                for (OnlineServing engine : prompts) {
                    engine.advanceTo(now);
                }
                tokens.advanceTo(now);
            }
            while (!ended.isEmpty()) {
                int stream = ended.removeFirst();
                if (sent < ttft.length) {
                    send(stream, now);
                }
            }
        }

        /** Sends the next request of a stream, and the prompts of other decode engines within the time of its last one. */
        private void send(int stream, double seconds) {
            double lasting = seconds - sentAt[stream];
            sentAt[stream] = seconds;
            requestOf[stream] = sent++;
            arrivals.add(new Arrival(Math.max(seconds, client.coldSeconds()), stream));
            for (int i = 0; i < others; i++) {
                arrivals.add(new Arrival(seconds + random.nextDouble() * lasting, -1));
            }
        }

        /** Passes computed prompts to the decode engine. */
        private final class Prompts implements ServingRecorder {
            private final int engine;

            Prompts(int engine) {
                this.engine = engine;
            }

            @Override
            public void requestCompleted(int place, double time, RequestStates states) {
                int stream = places[engine][place];
                if (stream >= 0) {
                    handovers.add(new Arrival(time + transferSeconds, stream));
                }
            }
        }

        /** Collects completed requests. The first token arrives with the first step of the decode engine. */
        private final class Tokens implements ServingRecorder {
            @Override
            public void requestCompleted(int place, double time, RequestStates states) {
                int stream = streamOf[place];
                int output = client.spread().output(requestOf[stream]);
                if (done < ttft.length) {
                    double first = states.prefillCompletedAt(place);
                    ttft[done] = (first - sentAt[stream]) * LoadRun.MS;
                    tpot[done] = output > 1 ? (time - first) / (output - 1) * LoadRun.MS : 0;
                    e2e[done] = (time - sentAt[stream]) * LoadRun.MS;
                    outputs += output;
                    done++;
                }
                ended.addLast(stream);
            }
        }
    }
}
