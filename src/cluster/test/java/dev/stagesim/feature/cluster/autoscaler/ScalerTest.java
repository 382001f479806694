package dev.stagesim.feature.cluster.autoscaler;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.feature.cluster.Clusters;
import dev.stagesim.feature.cluster.PoolPlans;
import dev.stagesim.feature.cluster.autoscaler.ScalerSettings.Metric;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Start;
import dev.stagesim.feature.cluster.instance.InstancePerformance;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.feature.cluster.instance.ThroughputCounters;
import dev.stagesim.feature.cluster.report.ClusterFigures;
import dev.stagesim.feature.cluster.router.LeastOutstanding;
import dev.stagesim.model.KeyRecord;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares scaling rules with examples worked from the documentation of Kubernetes, KEDA and Knative. */
final class ScalerTest {
    private static Hpa.Settings hpa(double upWindow, double downWindow, int pods, double up, double down) {
        return KeyRecord.of(
                Hpa.Settings.class,
                Map.ofEntries(
                        entry("target", 10),
                        entry("upWindowS", upWindow),
                        entry("downWindowS", downWindow),
                        entry("upPods", pods),
                        entry("upPercent", up),
                        entry("downPercent", down)));
    }

    private static int at(Scaler rule, double now, int ready, int starting, double total) {
        return rule.desired(new Scaler.Load(now, ready, starting, total, 0, 1000));
    }

    @ParameterizedTest
    @CsvSource({
        // Columns: ready, starting, total, desired. The target is 10.
        "4, 0, 60, 6",
        "4, 0, 61, 7",
        "4, 0, 43.9, 4",
        "4, 0, 36, 4",
        "4, 0, 35, 4",
        "4, 0, 20, 2",
        "4, 0, 0, 0",
        // When scaling up, starting instances count as 0: 90 / 6 = 15, so 9.
        "4, 2, 90, 9",
        // 60 / 6 is the target.
        "4, 2, 60, 6",
        // 50 / 6 would reverse the direction.
        "4, 2, 50, 6",
        // When scaling down, starting instances count as the target: (20 + 20) / 6 / 10 = 0.67.
        "4, 2, 20, 4",
        "0, 3, 100, 3"
    })
    void computesTheFormulaOfKubernetes(int ready, int starting, double total, int desired) {
        assertThat(at(hpa(0, 0, 100, 1000, 100).make(), 15, ready, starting, total))
                .isEqualTo(desired);
    }

    @Test
    void usesTheMaximumOfTheWindowWhenScalingDown() {
        Scaler rule = hpa(0, 300, 4, 100, 100).make();
        assertThat(at(rule, 0, 8, 0, 80)).isEqualTo(8);
        assertThat(at(rule, 15, 8, 0, 50)).isEqualTo(8);
        assertThat(at(rule, 30, 8, 0, 20)).isEqualTo(8);
        assertThat(at(rule, 299, 8, 0, 20)).isEqualTo(8);
        assertThat(at(rule, 300, 8, 0, 20))
                .as("the 8 of time 0 has left the window, the 5 of time 15 has not")
                .isEqualTo(5);
        assertThat(at(rule, 315, 5, 0, 12)).isEqualTo(2);
    }

    @Test
    void usesTheMinimumOfTheWindowWhenScalingUp() {
        Scaler rule = hpa(60, 0, 4, 100, 100).make();
        assertThat(at(rule, 0, 2, 0, 20)).isEqualTo(2);
        assertThat(at(rule, 15, 2, 0, 40)).isEqualTo(2);
        assertThat(at(rule, 59, 2, 0, 30)).isEqualTo(2);
        assertThat(at(rule, 60, 2, 0, 40)).as("the 2 of time 0 has left").isEqualTo(3);
    }

    /** Kubernetes records the current count as the first recommendation. */
    @Test
    void recordsTheInitialCountInTheWindows() {
        assertThat(at(hpa(60, 0, 4, 100, 100).make(), 15, 2, 0, 60)).isEqualTo(2);
        assertThat(at(hpa(0, 300, 4, 100, 100).make(), 15, 8, 0, 20)).isEqualTo(8);
    }

    @Test
    void limitsRatesFromTheStartOfThePeriod() {
        Scaler rule = hpa(0, 0, 4, 100, 50).make();
        assertThat(at(rule, 0, 1, 0, 1000)).as("4 pods are more than 100 %").isEqualTo(5);
        assertThat(at(rule, 10, 5, 0, 1000)).as("all of the period is used").isEqualTo(5);
        assertThat(at(rule, 15, 5, 0, 1000)).as("100 % are more than 4 pods").isEqualTo(10);
        assertThat(at(rule, 30, 10, 0, 0)).as("half").isEqualTo(5);
        assertThat(at(rule, 40, 5, 0, 0)).isEqualTo(5);
        assertThat(at(rule, 45, 5, 0, 0)).as("rounded down").isEqualTo(2);
    }

    @Test
    void startsAndStopsByActivityWithKeda() {
        Scaler rule = new Keda.Settings(Metric.REQUESTS, 10, 0, 30, 300).make();
        assertThat(at(rule, 15, 0, 0, 5)).as("not polled").isZero();
        assertThat(at(rule, 30, 0, 0, 0)).isZero();
        assertThat(at(rule, 45, 0, 0, 5)).as("not polled").isZero();
        assertThat(at(rule, 60, 0, 0, 5)).isEqualTo(1);
        assertThat(at(rule, 75, 0, 1, 35))
                .as("the sum counts although none is ready")
                .isEqualTo(4);
        assertThat(at(rule, 90, 4, 0, 35)).isEqualTo(4);
        for (int now = 105; now < 390; now += 15) {
            assertThat(at(rule, now, 4, 0, 0)).as("window of 300 s at %d", now).isEqualTo(4);
        }
        assertThat(at(rule, 390, 4, 0, 0)).as("300 s since the last activity").isZero();
    }

    /** The two intervals are independent: a poll every 20 s, a sync of Kubernetes every 15 s. */
    @Test
    void pollsKedaBetweenSyncsOfKubernetes() {
        Scaler rule = new Keda.Settings(Metric.REQUESTS, 10, 0, 20, 300).make();
        List<Double> times = new ArrayList<>();
        for (double now = rule.nextTime(0, 20); now <= 60; now = rule.nextTime(now, 20)) {
            times.add(now);
            assertThat(at(rule, now, 0, 0, now > 21 ? 1 : 0)).isEqualTo(now == 40 || now == 60 ? 1 : 0);
        }
        assertThat(times).containsExactly(15.0, 20.0, 30.0, 40.0, 45.0, 60.0);
    }

    @Test
    void startsBothRatesFromTheSameCount() {
        Scaler rule = KeyRecord.of(
                        Hpa.Settings.class, Map.of("target", 10, "downWindowS", 0, "upPods", 0, "periodS", 60))
                .make();
        assertThat(at(rule, 0, 10, 0, 50)).isEqualTo(5);
        assertThat(at(rule, 15, 5, 0, 1000)).as("twice the 10 of the start").isEqualTo(20);
    }

    @Test
    void scalesToZeroWithKedaIfAllowed() {
        for (int minReplicas : new int[] {0, 1}) {
            Scaler rule = new Keda.Settings(Metric.REQUESTS, 1, 10, 30, 300).make();
            int before = 8;
            for (int now = 15; now <= 600; now += 15) {
                int next = rule.desired(new Scaler.Load(now, before, 0, 8, minReplicas, 8));
                assertThat(next).as("at %d", now).isEqualTo(minReplicas == 0 && now >= 300 ? 0 : 8);
                before = next;
            }
        }
    }

    @Test
    void countsOnlyAppliedChangesInRates() {
        Scaler rule = hpa(0, 0, 4, 100, 50).make();
        assertThat(rule.desired(new Scaler.Load(0, 1, 0, 1000, 0, 2))).isEqualTo(2);
        assertThat(at(rule, 10, 2, 0, 1000)).as("4 more than 1 in the period").isEqualTo(5);
    }

    @Test
    void entersAndLeavesPanicModeOfKnative() {
        Scaler rule = new Kpa.Settings(Metric.REQUESTS, 10, 2, 60, 10, 2, 1000, 2, 30).make();
        for (int now = 2; now <= 60; now += 2) {
            assertThat(at(rule, now, 1, 0, 8)).isEqualTo(1);
        }
        // Short mean (8 + 8 + 98) / 3 = 38: 4 instances, four times the present number. The long mean requires 2.
        assertThat(at(rule, 62, 1, 0, 98)).isEqualTo(4);
        assertThat(at(rule, 64, 1, 3, 98)).as("(8 + 98 + 98) / 3 = 68").isEqualTo(7);
        assertThat(at(rule, 66, 4, 3, 0)).as("no scale-down in panic mode").isEqualTo(7);
        for (int now = 68; now < 126; now += 2) {
            at(rule, now, 7, 0, 20);
        }
        assertThat(at(rule, 126, 7, 0, 20))
                .as("a factor of 2 down at once, rounded down")
                .isEqualTo(3);
    }

    @Test
    void scalesToZeroAfterTheGracePeriodOfKnative() {
        Scaler rule = new Kpa.Settings(Metric.REQUESTS, 10, 2, 10, 50, 2, 1000, 2, 6).make();
        assertThat(at(rule, 2, 1, 0, 1)).isEqualTo(1);
        for (int now = 4; now <= 10; now += 2) {
            assertThat(at(rule, now, 1, 0, 0)).isEqualTo(1);
        }
        assertThat(at(rule, 12, 1, 0, 0)).as("the window is empty from now on").isEqualTo(1);
        assertThat(at(rule, 16, 1, 0, 0)).isEqualTo(1);
        assertThat(at(rule, 18, 1, 0, 0)).isZero();
        assertThat(at(rule, 20, 0, 0, 4)).isEqualTo(1);
    }

    @Test
    void bindsDefaults() {
        SettingsContract.assertDefaults(KeyRecord.defaults(Hpa.Settings.class));
        SettingsContract.assertDefaults(new Keda.Settings(Metric.REQUESTS, 32, 0, 30, 300));
        SettingsContract.assertDefaults(new Kpa.Settings(Metric.REQUESTS, 32, 2, 60, 10, 2, 1000, 2, 30));
        SettingsContract.assertDefaults(new ServingClusterSettings.Start(0, 58, 2, Optional.empty(), 34, 10));
        SettingsContract.assertDefaults(new ServingClusterSettings.Stragglers(0.1, 1.5, 42));
        SettingsContract.assertDefaults(new FailureSettings.Random(100, 60, 1, 42));
    }

    /** Outside the tolerance in proportion, within the rates. */
    @ParameterizedTest
    @CsvSource({
        "4, 0, 2, 4",
        "4, 0, 2.19, 4",
        "4, 0, 2.4, 5",
        "4, 0, 8, 8",
        "4, 0, 1.81, 4",
        "4, 0, 1.4, 3",
        "4, 0, 0, 2",
        "1, 0, 0, 0",
        "2, 2, 1.4, 6",
        "0, 3, 9, 3"
    })
    void scalesProportionallyWithAibrix(int ready, int starting, double total, int desired) {
        assertThat(at(new Apa.Settings(Metric.KV, 0.5, 0.1, 0.1, 2, 2, 10).make(), 10, ready, starting, total))
                .isEqualTo(desired);
    }

    @Test
    void bindsEveryKeyOfAibrix() {
        SettingsContract.assertDefaults(new Apa.Settings(Metric.KV, 0.5, 0.1, 0.1, 2, 2, 10));
        SettingsContract.assertEveryKeyNonDefault(new Apa.Settings(Metric.WAITING, 2, 0.2, 0.3, 3, 4, 5));
    }

    /** Prefill at 1,000 tokens per second. 10 ms between tokens plus 1 ms per additional request, up to 40 requests. */
    private static final InstancePerformance PROFILE = new InstancePerformance() {
        @Override
        public double promptSeconds(int tokens) {
            return tokens / 1000.0;
        }

        @Override
        public double promptRate(int tokens) {
            return 1000;
        }

        @Override
        public double tpotSeconds(int requests, int context) {
            return (9 + requests) / 1000.0;
        }

        @Override
        public int maxConcurrency(int context) {
            return context > 1000 ? 10 : 40;
        }
    };

    private static int planned(Sla rule, long requests, int prompt, int output, double first, double gap) {
        ThroughputCounters traffic = new ThroughputCounters();
        for (int i = 0; i < requests; i++) {
            traffic.arrived(prompt);
            traffic.completed(output, first, first + gap * (output - 1));
        }
        rule.observe(traffic.sums());
        return at(rule, 100, 2, 0, 0);
    }

    private static Sla.Settings settings(double gapMs, double intervalS, Sla.Predictor predictor, int window) {
        return new Sla.Settings(gapMs, intervalS, predictor, window, 1, 0.1, 10);
    }

    private static Sla sla(boolean isForPrompts, Sla.Predictor predictor) {
        return new Sla(settings(30, 100, predictor, 3), isForPrompts, PROFILE);
    }

    @Test
    void plansByTheThroughputOfOneInstance() {
        // 1,000 prompts of 500 tokens in 100 s need 5 instances. A TTFT below the prediction lowers the predicted
        // demand.
        assertThat(planned(sla(true, Sla.Predictor.CONSTANT), 1000, 500, 10, 0.6, 0.01))
                .isEqualTo(5);
        assertThat(planned(sla(true, Sla.Predictor.CONSTANT), 1000, 500, 10, 0.26, 0.01))
                .isEqualTo(3);
        // 10 concurrent requests per instance have a predicted ITL of 19 ms. 21 requests stay within 30 ms, at 700
        // tokens per second.
        assertThat(planned(sla(false, Sla.Predictor.CONSTANT), 100_000, 500, 2, 0.001, 0.019))
                .isEqualTo(3);
        // The observed ITL is twice the prediction: 6 concurrent requests stay within 15 ms, at 400 tokens per second.
        assertThat(planned(sla(false, Sla.Predictor.CONSTANT), 50_000, 500, 2, 0.002, 0.038))
                .isEqualTo(3);
        // The memory limits the batch to 10 requests, at 526 tokens per second.
        assertThat(planned(sla(false, Sla.Predictor.CONSTANT), 100_000, 1500, 2, 0.001, 0.019))
                .isEqualTo(4);
        assertThat(planned(sla(true, Sla.Predictor.CONSTANT), 0, 500, 10, 0.6, 0.01))
                .isEqualTo(2);
    }

    @Test
    void plansByALinearForecast() {
        Sla constant = sla(true, Sla.Predictor.CONSTANT);
        Sla line = sla(true, Sla.Predictor.LINEAR);
        ThroughputCounters traffic = new ThroughputCounters();
        int[][] wanted = {{1, 1}, {2, 3}, {3, 4}, {3, 4}};
        int[] counts = {200, 400, 600, 600};
        for (int look = 0; look < counts.length; look++) {
            for (int i = 0; i < counts[look]; i++) {
                traffic.arrived(500);
                traffic.completed(10, 1, 2);
            }
            constant.observe(traffic.sums());
            line.observe(traffic.sums());
            assertThat(List.of(at(constant, look, 2, 0, 0), at(line, look, 2, 0, 0)))
                    .as("poll %d", look)
                    .containsExactly(wanted[look][0], wanted[look][1]);
        }
        SettingsContract.assertDefaults(settings(50, 180, Sla.Predictor.CONSTANT, 5));
        SettingsContract.assertEveryKeyNonDefault(new Sla.Settings(40, 60, Sla.Predictor.KALMAN, 4, 2, 3, 4));
    }

    private static int loaded(LoadPlanner.Objective aim, PoolRole role, double... queuedAndHeld) {
        LoadPlanner.Settings settings = new LoadPlanner.Settings(aim, 600, 30, 0.8, 5, Optional.empty());
        LoadPlanner rule = new LoadPlanner(settings, role, PROFILE, 20_000, 1000);
        ThroughputCounters traffic = new ThroughputCounters();
        traffic.arrived(300);
        traffic.completed(400, 0.1, 1);
        rule.observe(traffic.sums());
        List<Scaler.InstanceLoad> each = new ArrayList<>();
        for (int i = 0; i < queuedAndHeld.length; i += 2) {
            each.add(new Scaler.InstanceLoad(queuedAndHeld[i], queuedAndHeld[i + 1]));
        }
        rule.observe(each);
        return at(rule, 5, each.size(), 0, 0) - each.size();
    }

    /**
     * A prompt of 300 tokens takes 0.3 s, which leaves 240 of the 600 ms for queueing. n concurrent requests have an
     * ITL of 9 + n ms.
     */
    @Test
    void changesTheCountByAtMostOneWithTheLoadPlanner() {
        LoadPlanner.Objective sla = LoadPlanner.Objective.SLA;
        assertThat(loaded(sla, PoolRole.PREFILL, 301, 0, 400, 0)).isEqualTo(1);
        assertThat(loaded(sla, PoolRole.PREFILL, 301, 0, 299, 0)).isZero();
        // The remaining instance would have twice the queue: 0.24 s.
        assertThat(loaded(sla, PoolRole.PREFILL, 119, 0, 0, 0)).isEqualTo(-1);
        assertThat(loaded(sla, PoolRole.PREFILL, 120, 0, 0, 0)).isZero();
        assertThat(loaded(sla, PoolRole.PREFILL, 0, 0)).isZero();
        // Contexts of 500 tokens: 22 requests have an ITL of 31 ms.
        assertThat(loaded(sla, PoolRole.DECODE, 400, 10_200, 0, 10_501)).isEqualTo(1);
        assertThat(loaded(sla, PoolRole.DECODE, 400, 10_200, 0, 10_500)).isZero();
        // 13 requests on the remaining instance have an ITL of 22 of 24 ms.
        assertThat(loaded(sla, PoolRole.DECODE, 0, 3_250, 0, 3_000)).isEqualTo(-1);
        assertThat(loaded(sla, PoolRole.DECODE, 0, 3_600, 0, 3_000)).isZero();
        // For both roles together, one exceeded limit adds an instance. Removing one requires both to be below the
        // limit.
        assertThat(loaded(sla, PoolRole.BOTH, 301, 0, 400, 0)).isEqualTo(1);
        assertThat(loaded(sla, PoolRole.BOTH, 0, 10_600, 0, 10_600)).isEqualTo(1);
        assertThat(loaded(sla, PoolRole.BOTH, 119, 5_000, 0, 0)).isZero();
        assertThat(loaded(sla, PoolRole.BOTH, 119, 2_000, 0, 0)).isEqualTo(-1);
    }

    @Test
    void usesTheThresholdsOfTheObjective() {
        LoadPlanner.Objective much = LoadPlanner.Objective.THROUGHPUT;
        LoadPlanner.Objective fast = LoadPlanner.Objective.LATENCY;
        assertThat(loaded(much, PoolRole.PREFILL, 1000, 0, 0, 0)).isEqualTo(1);
        assertThat(loaded(much, PoolRole.PREFILL, 999, 0, 0, 0)).isZero();
        assertThat(loaded(much, PoolRole.PREFILL, 99, 0, 0, 0)).isEqualTo(-1);
        assertThat(loaded(fast, PoolRole.PREFILL, 100, 0, 0, 0)).isEqualTo(1);
        assertThat(loaded(fast, PoolRole.PREFILL, 1, 0, 0, 0)).isZero();
        assertThat(loaded(fast, PoolRole.PREFILL, 0, 0, 0, 0)).isEqualTo(-1);
        assertThat(loaded(much, PoolRole.DECODE, 1, 20_000, 0, 0)).isEqualTo(1);
        assertThat(loaded(much, PoolRole.BOTH, 0, 20_000, 0, 0)).isZero();
        assertThat(loaded(much, PoolRole.BOTH, 0, 11_999, 0, 0)).isEqualTo(-1);
        assertThat(loaded(fast, PoolRole.DECODE, 1, 8_000, 0, 0)).isEqualTo(1);
        assertThat(loaded(fast, PoolRole.DECODE, 0, 1_999, 0, 1_999)).isEqualTo(-1);
    }

    /**
     * The throughput planner requires five prefill instances from its first interval on. No instance is added while
     * others start.
     */
    @Test
    void limitsTheCountFromBelowByTheThroughputPlanner() {
        LoadPlanner.Settings settings = new LoadPlanner.Settings(
                LoadPlanner.Objective.LATENCY,
                500,
                50,
                0.8,
                5,
                Optional.of(settings(30, 100, Sla.Predictor.CONSTANT, 3)));
        LoadPlanner rule = new LoadPlanner(settings, PoolRole.PREFILL, PROFILE, 20_000, 1000);
        ThroughputCounters traffic = new ThroughputCounters();
        for (int i = 0; i < 1000; i++) {
            traffic.arrived(500);
            traffic.completed(10, 0.6, 1);
        }
        rule.observe(traffic.sums());
        rule.observe(List.of(new Scaler.InstanceLoad(0, 0), new Scaler.InstanceLoad(0, 0)));
        assertThat(at(rule, 95, 2, 0, 0)).isEqualTo(1);
        assertThat(at(rule, 100, 2, 1, 0)).isEqualTo(3);
        assertThat(at(rule, 105, 2, 0, 0)).isEqualTo(5);
        SettingsContract.assertDefaults(
                new LoadPlanner.Settings(LoadPlanner.Objective.SLA, 500, 50, 0.8, 5, Optional.empty()));
        SettingsContract.assertEveryKeyNonDefault(new LoadPlanner.Settings(
                LoadPlanner.Objective.LATENCY,
                1,
                2,
                0.5,
                3,
                Optional.of(new Sla.Settings(40, 60, Sla.Predictor.KALMAN, 4, 2, 3, 4))));
    }

    /**
     * The throughput planner requires five instances in the burst. After an idle interval its minimum expires, and each
     * poll removes one.
     */
    @Test
    void shrinksToTheMinimumAfterABurst() {
        LoadPlanner.Settings settings = new LoadPlanner.Settings(
                LoadPlanner.Objective.LATENCY,
                500,
                50,
                0.8,
                5,
                Optional.of(settings(30, 100, Sla.Predictor.CONSTANT, 3)));
        LoadPlanner rule = new LoadPlanner(settings, PoolRole.PREFILL, PROFILE, 20_000, 1000);
        ThroughputCounters traffic = new ThroughputCounters();
        int count = 2;
        for (int now = 5; now <= 480; now += 5) {
            for (int i = 0; i < 50 && now <= 100; i++) {
                traffic.arrived(500);
                traffic.completed(10, 0.6, 1);
            }
            if (now == 105) {
                traffic.completed(10, 0.6, 1);
            }
            rule.observe(traffic.sums());
            rule.observe(Collections.nCopies(count, new Scaler.InstanceLoad(0, 0)));
            count = Math.max(1, rule.desired(new Scaler.Load(now, count, 0, 0, 1, 8)));
            int wanted = now < 100 ? 1 : now < 300 ? 5 : Math.max(1, 4 - (now - 300) / 5);
            assertThat(count).as("at %d, completed alone until 200", now).isEqualTo(wanted);
        }
    }

    /** Poll times are sums of 0.1 s with rounding errors. The throughput planner must still run at each tenth poll. */
    @Test
    void runsTheThroughputPlannerAtMultiplesOfTheInterval() {
        LoadPlanner.Settings settings = new LoadPlanner.Settings(
                LoadPlanner.Objective.LATENCY,
                500,
                50,
                0.8,
                0.1,
                Optional.of(settings(30, 1, Sla.Predictor.CONSTANT, 3)));
        assertThat(LoadPlanner.problem(settings)).isEmpty();
        LoadPlanner rule = new LoadPlanner(settings, PoolRole.PREFILL, PROFILE, 20_000, 1000);
        ThroughputCounters traffic = new ThroughputCounters();
        double now = 0;
        for (int look = 1; look <= 2000; look++) {
            now = rule.nextTime(now, settings.intervalS());
            for (int i = 0; i < (look - 1) / 10 % 5 + 1; i++) {
                traffic.arrived(1000);
                traffic.completed(10, 1, 2);
            }
            rule.observe(traffic.sums());
            rule.observe(List.of(new Scaler.InstanceLoad(0, 0)));
            int wanted = look < 10 ? 1 : 10 * ((look / 10 - 1) % 5 + 1);
            assertThat(at(rule, now, 1, 0, 0)).as("poll %d", look).isEqualTo(wanted);
        }
        for (double interval : new double[] {2, 7, 12}) {
            LoadPlanner.Settings apart = new LoadPlanner.Settings(
                    LoadPlanner.Objective.LATENCY,
                    500,
                    50,
                    0.8,
                    5,
                    Optional.of(settings(30, interval, Sla.Predictor.CONSTANT, 3)));
            ScalingSettings scaling = new ScalingSettings(1, 4, 500, apart);
            Map<String, ServingClusterSettings.Pool> pools = Map.of(
                    "p",
                    Clusters.scaled(Clusters.pool(PoolRole.PREFILL, 1), scaling),
                    "d",
                    Clusters.pool(PoolRole.DECODE, 1));
            assertThat(PoolPlans.problems(Clusters.settings(Clusters.cluster(
                            pools, new LeastOutstanding.Settings(), Optional.empty(), Clusters.transfer(50, 50)))))
                    .singleElement()
                    .satisfies(problem ->
                            assertThat(problem.where()).isEqualTo("cluster.pools.p.scaling.rule.floor.interval_s"));
        }
    }

    /**
     * Queued prompts count until they have memory, and also stop counting if they are cancelled or their instance
     * fails.
     */
    @Test
    void scalesAClusterByLoadAndReleasesQueuedTokens() {
        LoadPlanner.Settings rule =
                new LoadPlanner.Settings(LoadPlanner.Objective.LATENCY, 500, 50, 0.8, 2, Optional.empty());
        Optional<Start> start = Optional.of(new Start(0, 0, 100, Optional.empty(), 1, 1));
        for (PoolRole role : List.of(PoolRole.BOTH, PoolRole.PREFILL)) {
            Map<String, ServingClusterSettings.Pool> pools = role == PoolRole.BOTH
                    ? Map.of("all", Clusters.scaled(Clusters.pool(role, 1), new ScalingSettings(1, 4, 500, rule)))
                    : Map.of(
                            "p", Clusters.scaled(Clusters.pool(role, 1), new ScalingSettings(1, 4, 500, rule)),
                            "d",
                                    Clusters.scaled(
                                            Clusters.pool(PoolRole.DECODE, 1), new ScalingSettings(1, 4, 500, rule)));
            ClusterFigures figures = Clusters.run(
                    Clusters.with(
                            Clusters.cluster(
                                    pools,
                                    new LeastOutstanding.Settings(),
                                    Optional.empty(),
                                    Clusters.transfer(50, 50)),
                            start,
                            Optional.of(new FailureSettings.Random(0.01, 5, 3, 4)),
                            Optional.empty()),
                    Clusters.requests(600, 45, 0, 4));
            assertThat(figures.instances)
                    .allSatisfy(one -> assertThat(one.queuedTokens).isZero());
            assertThat(figures.sim.fleet().changes())
                    .anyMatch(change -> change.kind().equals("open"));
        }
    }

    @Test
    void scalesPrefillAndDecodeIndependently() {
        ScalingSettings scaling = new ScalingSettings(1, 4, 500, settings(9, 10, Sla.Predictor.CONSTANT, 5));
        Optional<Start> start = Optional.of(new Start(0, 0, 100, Optional.empty(), 1, 1));
        ClusterFigures figures = Clusters.run(
                Clusters.with(
                        Clusters.cluster(
                                Map.of(
                                        "p", Clusters.scaled(Clusters.pool(PoolRole.PREFILL, 1), scaling),
                                        "d", Clusters.scaled(Clusters.pool(PoolRole.DECODE, 1), scaling)),
                                new LeastOutstanding.Settings(),
                                Optional.empty(),
                                Clusters.transfer(50, 50)),
                        start,
                        Optional.empty(),
                        Optional.empty()),
                Clusters.requests(1600, 45, 0, 4));
        assertThat(figures.sim.fleet().changes())
                .anyMatch(change ->
                        change.pool().name().equals("p") && change.kind().equals("open"))
                .anyMatch(change ->
                        change.pool().name().equals("d") && change.kind().equals("open"));
        assertThat(figures.count(RequestTimeline.Outcome.COMPLETED)).isEqualTo(1600);
        assertThat(PoolPlans.problems(Clusters.settings(Clusters.cluster(
                        Map.of("all", Clusters.scaled(Clusters.pool(PoolRole.BOTH, 1), scaling)),
                        new LeastOutstanding.Settings(),
                        Optional.empty(),
                        Clusters.transfer(50, 50)))))
                .singleElement()
                .satisfies(problem -> assertThat(problem.toString()).contains("scaling.rule.kind"));
    }
}
