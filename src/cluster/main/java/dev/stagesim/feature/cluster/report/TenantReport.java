package dev.stagesim.feature.cluster.report;

import static dev.stagesim.model.Nanos.NS_PER_MS;

import dev.stagesim.feature.cluster.gateway.Clients;
import dev.stagesim.feature.cluster.gateway.Gateway;
import dev.stagesim.feature.cluster.instance.RequestTimeline.Outcome;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.stats.Quantiles;
import java.util.Arrays;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** Reports latency, outcomes and fairness by tenant, and cache hits of later turns. */
record TenantReport(ClusterFigures figures) {
    private static final int DIGITS = 3;

    private IntStream requests(IntPredicate which) {
        return IntStream.range(0, figures.size()).filter(which);
    }

    private double ttft(IntPredicate which) {
        double[] times = requests(which.and(figures.timeline::isServed))
                .mapToDouble(i -> figures.parts.get(i).ttft() / NS_PER_MS)
                .toArray();
        return times.length == 0 ? Double.NaN : Quantiles.of(times, 0.99);
    }

    /** Returns the tokens of completed requests of a tenant, divided by its weight. */
    private double service(Clients clients, int tenant) {
        double tokens = requests(i -> clients.tenant(i) == tenant && figures.timeline.isServed(i))
                .mapToDouble(i -> clients.promptTokens(i) + clients.outputTokens(i))
                .sum();
        return tokens / clients.settings(tenant).weight();
    }

    /** Returns Jain's fairness index: 1 if all tenants receive equal service. */
    private double fairness(Clients clients) {
        double[] services = IntStream.range(0, clients.tenants())
                .mapToDouble(tenant -> service(clients, tenant))
                .toArray();
        double sum = Arrays.stream(services).sum();
        double squares = Arrays.stream(services).map(x -> x * x).sum();
        return squares == 0 ? 1 : sum * sum / (services.length * squares);
    }

    private double cached(IntPredicate which) {
        double promptTokens = requests(which.and(figures.timeline::isServed))
                .mapToDouble(figures.trace::prefillTokens)
                .sum();
        double hits = requests(which.and(figures.timeline::isServed))
                .mapToDouble(i -> figures.timeline.hits[i])
                .sum();
        return promptTokens == 0 ? 0 : hits / promptTokens;
    }

    static void figures(ClusterFigures figures, Map<String, Double> all) {
        TenantReport report = new TenantReport(figures);
        figures.sim
                .gateway()
                .map(Gateway::clients)
                .filter(clients -> clients.tenants() > 1)
                .ifPresent(clients -> {
                    for (int tenant = 0; tenant < clients.tenants(); tenant++) {
                        int index = tenant;
                        all.put(clients.name(index) + "_ttft_p99_ms", report.ttft(i -> clients.tenant(i) == index));
                    }
                    all.put("fairness", report.fairness(clients));
                });
        figures.sim.sessions().ifPresent(sessions -> {
            all.put("later_turns_cached_share", report.cached(i -> sessions.turn(i) > 0));
            all.put("later_turns_ttft_p99_ms", report.ttft(i -> sessions.turn(i) > 0));
        });
    }

    void addTo(Report report) {
        figures.sim.gateway().ifPresent(gateway -> {
            report.section("tenants", "Tenants").table(tenants(gateway.clients()));
            report.faint("P99 TTFT includes completed requests only.");
        });
        figures.sim.sessions().ifPresent(sessions -> report.section("turns", "Conversations")
                .prose("Later turns of sessions had cache hits for "
                        + Numbers.share(100 * cached(i -> sessions.turn(i) > 0), 1)
                        + " of their prompt tokens, and a P99 TTFT of "
                        + Numbers.significant(ttft(i -> sessions.turn(i) > 0), DIGITS) + " ms."));
    }

    private DataTable tenants(Clients clients) {
        DataTable table = new DataTable("Requests by tenant").columns("Tenant", "#Requests");
        Outcome[] ends = Arrays.stream(Outcome.values())
                .filter(index -> index == Outcome.COMPLETED || figures.count(index) > 0)
                .toArray(Outcome[]::new);
        for (Outcome end : ends) {
            String word = end.word().replace('_', ' ');
            table.number(Character.toUpperCase(word.charAt(0)) + word.substring(1));
        }
        table.number("P99 TTFT (ms)");
        for (int tenant = 0; tenant < clients.tenants(); tenant++) {
            int index = tenant;
            String[] cells = new String[ends.length + 3];
            cells[0] = clients.name(index);
            cells[1] = Numbers.count(requests(i -> clients.tenant(i) == index).count());
            for (int end = 0; end < ends.length; end++) {
                Outcome outcome = ends[end];
                cells[2 + end] = Numbers.count(
                        requests(i -> clients.tenant(i) == index && figures.timeline.outcome[i] == outcome)
                                .count());
            }
            cells[cells.length - 1] = Numbers.significant(ttft(i -> clients.tenant(i) == index), DIGITS);
            table.row(cells);
        }
        return table;
    }
}
