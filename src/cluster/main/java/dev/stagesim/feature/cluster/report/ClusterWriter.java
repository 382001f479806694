package dev.stagesim.feature.cluster.report;

import dev.stagesim.contract.Tables;
import dev.stagesim.feature.cluster.instance.BinnedTimeSeries;
import dev.stagesim.feature.cluster.instance.Instance;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.model.KeyNames;
import dev.stagesim.serving.ServingInput;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Writes the tables of a simulated cluster. */
public record ClusterWriter(ClusterFigures figures, ServingInput input, Path out) {
    /** Name of the links in the table of pools. */
    public static final String LINKS = "links";

    private static final List<String> OPTIONAL = List.of("e2e_time_ns", "tpot_ns");

    /** Writes all tables. {@code all} contains all metrics by name. */
    public void write(Map<String, Double> all) throws IOException {
        requests();
        times();
        instances();
        pools();
        if (!figures.sim.fleet().changes().isEmpty()) {
            replicas();
        }
        if (!figures.experts().groups().isEmpty()) {
            try (TableWriter table = TableWriter.in(out, ClusterTables.EXPERTS)) {
                figures.experts().write(table);
            }
        }
        TableWriter.write(out, ClusterTables.SUMMARY, all.entrySet(), (table, figure) -> table.put(figure.getKey())
                .putFinite(figure.getValue()));
    }

    private void requests() throws IOException {
        RequestTimeline timeline = figures.timeline;
        try (TableWriter table = TableWriter.in(out, ClusterTables.REQUESTS)) {
            for (int i = 0; i < timeline.size(); i++) {
                LatencyBreakdown parts = figures.parts.get(i);
                table.put((long) input.id(i)).put(arrival(i));
                table.put((long) input.trace().prefillTokens(i))
                        .put((long) input.trace().decodeTokens(i));
                table.put(timeline.outcome[i].word());
                int request = i;
                table.put(figures.sim
                        .gateway()
                        .map(gateway -> gateway.clients().name(gateway.clients().tenant(request)))
                        .orElse("all"));
                table.put((long) timeline.attempts[i] + (Double.isNaN(timeline.routed[i]) ? 0 : 1));
                table.put((long) timeline.first[i])
                        .put((long) (timeline.isHandedOff(i) ? timeline.second[i] : timeline.first[i]));
                table.put((long) timeline.hits[i])
                        .put((long) timeline.tierTokens[i])
                        .put((long) timeline.decodeHits[i])
                        .put((long) timeline.transferred[i]);
                table.put((long) timeline.preemptions[i]);
                for (long part : parts.values()) {
                    table.put(part);
                }
                if (timeline.isServed(i)) {
                    table.put(parts.ttft());
                    table.putFinite(figures.tpotNs(i));
                    table.put(parts.e2e()).endRow();
                } else {
                    table.putEmpty().putEmpty().putEmpty().endRow();
                }
            }
        }
    }

    /** Writes the table that other stages compare. Times of requests that were not completed are empty. */
    private void times() throws IOException {
        RequestTimeline timeline = figures.timeline;
        try (TableWriter table =
                TableWriter.create(out.resolve(Tables.REQUEST_METRICS.name()), Tables.REQUEST_METRICS, OPTIONAL)) {
            for (int i = figures.warmUp(); i < timeline.size(); i++) {
                LatencyBreakdown parts = figures.parts.get(i);
                long output = input.trace().decodeTokens(i);
                boolean isServed = timeline.isServed(i);
                table.put((long) input.id(i)).put(arrival(i));
                table.putIf(isServed, arrival(i) + parts.ttft());
                table.putIf(isServed, parts.ttft());
                table.putIf(isServed, arrival(i) + parts.e2e());
                table.put((long) input.trace().prefillTokens(i)).put(output).put(isServed ? output : 0);
                table.put(timeline.outcome[i].status().text());
                table.putIf(isServed, parts.e2e());
                table.putFinite(figures.tpotNs(i));
                table.endRow();
            }
        }
    }

    private long arrival(int request) {
        double arrived = figures.timeline.arrived[request];
        double at = Double.isNaN(arrived) ? figures.timeline.ended[request] : arrived;
        return figures.sim.sessions().isEmpty() && !input.isClosed()
                ? input.arrivalNs(request)
                : LatencyBreakdown.ns(at);
    }

    private void instances() throws IOException {
        TableWriter.write(out, ClusterTables.INSTANCES, figures.instances, (table, instance) -> {
            PoolPlan pool = instance.pool;
            table.put((long) instance.number).put(pool.name());
            table.put(KeyNames.constant(pool.role()));
            table.put(figures.sim.fleet().billed(instance))
                    .put(figures.sim.fleet().up(instance));
            table.put((long) pool.shape().devices());
            table.put((long) instance.requests).put(instance.tokens);
            table.put(instance.busy / figures.seconds)
                    .put(instance.queriedTokens)
                    .put(instance.hits);
            table.put((long) instance.preemptions).put(pool.kvTokens());
            table.put(instance.peakKvUsage).put(instance.memoryWaitSeconds / figures.seconds);
            table.put(instance.adapterLoads());
        });
    }

    private void replicas() throws IOException {
        TableWriter.write(out, ClusterTables.REPLICAS, figures.sim.fleet().changes(), (table, change) -> {
            table.put(LatencyBreakdown.ns(change.at()))
                    .put(change.pool().name())
                    .put((long) change.instance());
            table.put(change.kind()).put((long) change.starting());
            table.put((long) change.open()).put((long) change.draining());
        });
    }

    private void pools() throws IOException {
        BinnedTimeSeries series = figures.sim.series();
        try (TableWriter table = TableWriter.in(out, ClusterTables.POOLS)) {
            for (int bin = 0; bin < series.size(); bin++) {
                long start = LatencyBreakdown.ns(bin * series.width());
                for (int pool = 0; pool < figures.pools.size(); pool++) {
                    int base = pool * Instance.SIGNALS_PER_POOL;
                    double replicas = figures.up(pool, bin);
                    table.put(start).put(figures.pools.get(pool).name());
                    table.put(series.mean(base + Instance.BUSY, bin) / replicas);
                    table.put(series.mean(base + Instance.WAITING, bin));
                    table.put(series.mean(base + Instance.RUNNING, bin));
                    table.put(series.mean(base + Instance.KV_USAGE, bin) / replicas);
                    table.putEmpty().endRow();
                }
                if (figures.handed > 0) {
                    table.put(start).put(LINKS);
                    table.putEmpty().putEmpty().putEmpty().putEmpty();
                    table.put(series.mean(figures.pools.size() * Instance.SIGNALS_PER_POOL, bin))
                            .endRow();
                }
            }
        }
    }
}
