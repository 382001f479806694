package dev.stagesim.stage.astrasim;

import dev.stagesim.sim.collective.result.NpuStatistics;
import dev.stagesim.sim.collective.result.SimulationResult;
import dev.stagesim.sim.network.LinkUse;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/** Metrics of a run for summaries and reports. */
final class RunMetrics {
    private static final int MAX_LINKS = 12;
    private static final double HUNDRED = 100;

    private final SimulationResult result;
    private final long duration;
    private final List<LinkUse> busiest;

    RunMetrics(SimulationResult result, boolean isStopped) {
        this.result = result;
        long last = 0;
        for (long finish : result.finishNs()) {
            last = Math.max(last, finish);
        }
        this.duration = isStopped ? result.endNs() - 1 : last;
        this.busiest = busiest(result.traffic().links());
    }

    /** Time in ns until the last NPU finishes or the run is stopped. */
    long duration() {
        return duration;
    }

    int npus() {
        return result.finishNs().length;
    }

    int finished() {
        int count = 0;
        for (long finish : result.finishNs()) {
            count += finish >= 0 ? 1 : 0;
        }
        return count;
    }

    /** The earliest finish in ns, or -1 if no NPU finished. */
    long earliest() {
        long first = -1;
        for (long finish : result.finishNs()) {
            if (finish >= 0 && (first < 0 || finish < first)) {
                first = finish;
            }
        }
        return first;
    }

    /** Mean of a time over the finished NPUs in ns; absent values count as 0. */
    double mean(Function<NpuStatistics, OptionalLong> time) {
        double sum = 0;
        int count = 0;
        for (Optional<NpuStatistics> figures : result.statistics()) {
            if (figures.isPresent()) {
                sum += time.apply(figures.get()).orElse(0);
                count++;
            }
        }
        return count == 0 ? 0 : sum / count;
    }

    double meanCompute() {
        return mean(NpuStatistics::gpuNs);
    }

    double meanCommunication() {
        return mean(NpuStatistics::commNs);
    }

    double meanOverlap() {
        return mean(figures -> OptionalLong.of(figures.overlapNs()));
    }

    /** Mean time of communication without computation in ns. */
    double meanExposed() {
        return meanCommunication() - meanOverlap();
    }

    /** Share of the duration in percent. */
    double percent(double ns) {
        return duration == 0 ? 0 : ns * HUNDRED / duration;
    }

    /** Share of the duration during which a link transmitted. */
    double utilization(LinkUse link) {
        return duration == 0 ? 0 : Math.min(1, (double) link.busyNs() / duration);
    }

    /** The links with the longest transmission time, at most a dozen. */
    List<LinkUse> busiest() {
        return busiest;
    }

    private static List<LinkUse> busiest(List<LinkUse> links) {
        Comparator<LinkUse> order = Comparator.comparingLong(LinkUse::busyNs)
                .reversed()
                .thenComparingInt(LinkUse::from)
                .thenComparingInt(LinkUse::to);
        List<LinkUse> busiest = new ArrayList<>();
        for (LinkUse link : links) {
            boolean isFull = busiest.size() == MAX_LINKS;
            if (link.messages() == 0 || (isFull && order.compare(link, busiest.get(MAX_LINKS - 1)) >= 0)) {
                continue;
            }
            if (isFull) {
                busiest.remove(MAX_LINKS - 1);
            }
            busiest.add(link);
            busiest.sort(order);
        }
        return busiest;
    }

    Map<String, Double> headlines() {
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("duration_cycles", (double) duration);
        figures.put("finished_npus", (double) finished());
        if (finished() > 0) {
            figures.put("compute_mean_ns", meanCompute());
            figures.put("communication_mean_ns", meanCommunication());
            figures.put("exposed_communication_mean_ns", meanExposed());
        }
        figures.put("messages", (double) result.traffic().messages());
        return figures;
    }
}
