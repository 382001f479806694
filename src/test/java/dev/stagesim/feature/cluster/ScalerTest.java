package dev.stagesim.feature.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.feature.cluster.ScalerSettings.Metric;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rules of scaling beside cases worked by hand from what Kubernetes, KEDA and Knative document. */
final class ScalerTest {
    private static Hpa.Settings hpa(double upWindow, double downWindow, int pods, double up, double down) {
        return new Hpa.Settings(Metric.REQUESTS, 10, 0.1, 15, upWindow, downWindow, pods, up, down, 15);
    }

    private static int at(Scaler rule, double now, int ready, int starting, double total) {
        return rule.desired(new Scaler.Load(now, ready, starting, total, 0, 1000));
    }

    @ParameterizedTest
    @CsvSource({
        // ready, starting, total, desired: the target is 10
        "4, 0, 60, 6",
        "4, 0, 61, 7",
        "4, 0, 43.9, 4",
        "4, 0, 36, 4",
        "4, 0, 35, 4",
        "4, 0, 20, 2",
        "4, 0, 0, 0",
        // on the way up those that start count as 0: 90 / 6 = 15, so 9
        "4, 2, 90, 9",
        // 60 / 6 is the target
        "4, 2, 60, 6",
        // 50 / 6 would turn the direction
        "4, 2, 50, 6",
        // on the way down they count as the target: (20 + 20) / 6 / 10 = 0.67
        "4, 2, 20, 4",
        "0, 3, 100, 3"
    })
    void kubernetesFormula(int ready, int starting, double total, int desired) {
        assertThat(at(hpa(0, 0, 100, 1000, 100).make(), 15, ready, starting, total))
                .isEqualTo(desired);
    }

    @Test
    void theGreatestOfTheWindowCountsOnTheWayDown() {
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
    void theLeastOfTheWindowCountsOnTheWayUp() {
        Scaler rule = hpa(60, 0, 4, 100, 100).make();
        assertThat(at(rule, 0, 2, 0, 20)).isEqualTo(2);
        assertThat(at(rule, 15, 2, 0, 40)).isEqualTo(2);
        assertThat(at(rule, 59, 2, 0, 30)).isEqualTo(2);
        assertThat(at(rule, 60, 2, 0, 40)).as("the 2 of time 0 has left").isEqualTo(3);
    }

    /** Kubernetes records the count it finds as the first recommendation. */
    @Test
    void theCountAtFirstIsOfTheWindows() {
        assertThat(at(hpa(60, 0, 4, 100, 100).make(), 15, 2, 0, 60)).isEqualTo(2);
        assertThat(at(hpa(0, 300, 4, 100, 100).make(), 15, 8, 0, 20)).isEqualTo(8);
    }

    @Test
    void ratesCountFromTheStartOfThePeriod() {
        Scaler rule = hpa(0, 0, 4, 100, 50).make();
        assertThat(at(rule, 0, 1, 0, 1000)).as("4 pods are more than 100 %").isEqualTo(5);
        assertThat(at(rule, 10, 5, 0, 1000)).as("all of the period is used").isEqualTo(5);
        assertThat(at(rule, 15, 5, 0, 1000)).as("100 % are more than 4 pods").isEqualTo(10);
        assertThat(at(rule, 30, 10, 0, 0)).as("half").isEqualTo(5);
        assertThat(at(rule, 40, 5, 0, 0)).isEqualTo(5);
        assertThat(at(rule, 45, 5, 0, 0)).as("rounded down").isEqualTo(2);
    }

    @Test
    void kedaWakesAndSleepsByActivity() {
        Scaler rule = new Keda.Settings(Metric.REQUESTS, 10, 0, 30, 300).make();
        assertThat(at(rule, 15, 0, 0, 5)).as("not polled").isZero();
        assertThat(at(rule, 30, 0, 0, 0)).isZero();
        assertThat(at(rule, 45, 0, 0, 5)).as("not polled").isZero();
        assertThat(at(rule, 60, 0, 0, 5)).isEqualTo(1);
        assertThat(at(rule, 75, 0, 1, 35))
                .as("the sum counts though none is ready")
                .isEqualTo(4);
        assertThat(at(rule, 90, 4, 0, 35)).isEqualTo(4);
        for (int now = 105; now < 390; now += 15) {
            assertThat(at(rule, now, 4, 0, 0)).as("window of 300 s at %d", now).isEqualTo(4);
        }
        assertThat(at(rule, 390, 4, 0, 0)).as("300 s since it was seen active").isZero();
    }

    /** The two intervals are independent: a poll every 20 s, Kubernetes' look every 15 s. */
    @Test
    void kedaPollsBetweenLooks() {
        Scaler rule = new Keda.Settings(Metric.REQUESTS, 10, 0, 20, 300).make();
        List<Double> times = new ArrayList<>();
        for (double now = rule.after(0); now <= 60; now = rule.after(now)) {
            times.add(now);
            assertThat(at(rule, now, 0, 0, now > 21 ? 1 : 0)).isEqualTo(now == 40 || now == 60 ? 1 : 0);
        }
        assertThat(times).containsExactly(15.0, 20.0, 30.0, 40.0, 45.0, 60.0);
    }

    @Test
    void bothRatesStartFromTheSameCount() {
        Scaler rule = new Hpa.Settings(Metric.REQUESTS, 10, 0.1, 15, 0, 0, 0, 100, 100, 60).make();
        assertThat(at(rule, 0, 10, 0, 50)).isEqualTo(5);
        assertThat(at(rule, 15, 5, 0, 1000)).as("twice the 10 of the start").isEqualTo(20);
    }

    @Test
    void kedaGoesToNoneWhereItMay() {
        for (int least : new int[] {0, 1}) {
            Scaler rule = new Keda.Settings(Metric.REQUESTS, 1, 10, 30, 300).make();
            int before = 8;
            for (int now = 15; now <= 600; now += 15) {
                int next = rule.desired(new Scaler.Load(now, before, 0, 8, least, 8));
                assertThat(next).as("at %d", now).isEqualTo(least == 0 && now >= 300 ? 0 : 8);
                before = next;
            }
        }
    }

    @Test
    void ratesCountWhatTheLimitsLeft() {
        Scaler rule = hpa(0, 0, 4, 100, 50).make();
        assertThat(rule.desired(new Scaler.Load(0, 1, 0, 1000, 0, 2))).isEqualTo(2);
        assertThat(at(rule, 10, 2, 0, 1000)).as("4 more than 1 in the period").isEqualTo(5);
    }

    @Test
    void knativePanicsByTheShortWindowAndForgetsAfterTheLongOne() {
        Scaler rule = new Kpa.Settings(Metric.REQUESTS, 10, 2, 60, 10, 2, 1000, 2, 30).make();
        for (int now = 2; now <= 60; now += 2) {
            assertThat(at(rule, now, 1, 0, 8)).isEqualTo(1);
        }
        // short mean (8 + 8 + 98) / 3 = 38: 4 instances, four times as many as there are; the long one asks for 2
        assertThat(at(rule, 62, 1, 0, 98)).isEqualTo(4);
        assertThat(at(rule, 64, 1, 3, 98)).as("(8 + 98 + 98) / 3 = 68").isEqualTo(7);
        assertThat(at(rule, 66, 4, 3, 0)).as("never fewer in panic").isEqualTo(7);
        for (int now = 68; now < 126; now += 2) {
            at(rule, now, 7, 0, 20);
        }
        assertThat(at(rule, 126, 7, 0, 20))
                .as("a factor of 2 down at once, rounded down")
                .isEqualTo(3);
    }

    @Test
    void knativeGoesToNoneAfterItsGrace() {
        Scaler rule = new Kpa.Settings(Metric.REQUESTS, 10, 2, 10, 50, 2, 1000, 2, 6).make();
        assertThat(at(rule, 2, 1, 0, 1)).isEqualTo(1);
        for (int now = 4; now <= 10; now += 2) {
            assertThat(at(rule, now, 1, 0, 0)).isEqualTo(1);
        }
        assertThat(at(rule, 12, 1, 0, 0))
                .as("its window has nothing from now on")
                .isEqualTo(1);
        assertThat(at(rule, 16, 1, 0, 0)).isEqualTo(1);
        assertThat(at(rule, 18, 1, 0, 0)).isZero();
        assertThat(at(rule, 20, 0, 0, 4)).isEqualTo(1);
    }

    @Test
    void defaultsAreAsDocumented() {
        SettingsContract.assertDefaults(new Hpa.Settings(Metric.REQUESTS, 32, 0.1, 15, 0, 300, 4, 100, 100, 15));
        SettingsContract.assertDefaults(new Keda.Settings(Metric.REQUESTS, 32, 0, 30, 300));
        SettingsContract.assertDefaults(new Kpa.Settings(Metric.REQUESTS, 32, 2, 60, 10, 2, 1000, 2, 30));
        SettingsContract.assertDefaults(new ClusterSimSettings.Start(0, 58, 2, Optional.empty(), 34, 10));
        SettingsContract.assertDefaults(new ClusterSimSettings.Stragglers(0.1, 1.5, 42));
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
    void aibrixScalesInProportion(int ready, int starting, double total, int desired) {
        assertThat(at(new Apa.Settings(Metric.KV, 0.5, 0.1, 0.1, 2, 2, 10).make(), 10, ready, starting, total))
                .isEqualTo(desired);
    }

    @Test
    void everyKeyOfAibrixCanBeSet() {
        SettingsContract.assertDefaults(new Apa.Settings(Metric.KV, 0.5, 0.1, 0.1, 2, 2, 10));
        SettingsContract.assertEveryKeyNonDefault(new Apa.Settings(Metric.WAITING, 2, 0.2, 0.3, 3, 4, 5));
    }
}
