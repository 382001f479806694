package dev.stagesim.feature.cluster.report;

import dev.stagesim.report.Numbers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Describes the difference of two times in percentage points of the first. Positive points are improvements. */
record PercentagePointDelta(long before, long after, long[] beforeParts, long[] afterParts, String[] words) {
    private static final double MIN_POINTS = 0.5;

    private double of(long less) {
        return 100.0 * less / before;
    }

    String sentence(String baseline) {
        double all = of(before - after);
        String head = Math.abs(all) < MIN_POINTS
                ? "This run equals " + baseline + " at P99 TTFT"
                : "This run is " + Numbers.fixed(Math.abs(all), 0) + " % " + (all > 0 ? "better" : "worse") + " than "
                        + baseline + " at P99 TTFT";
        List<Integer> order = new ArrayList<>();
        for (int part = 0; part < beforeParts.length; part++) {
            if (Math.abs(points(part)) >= MIN_POINTS) {
                order.add(part);
            }
        }
        order.sort(Comparator.comparingDouble(part -> -Math.abs(points(part))));
        List<String> parts = new ArrayList<>();
        for (int part : order) {
            String points = parts.isEmpty() ? " points from " : " from ";
            parts.add(Numbers.fixed(points(part), 0) + points + words[part]);
        }
        return head + (parts.isEmpty() ? "." : ": " + String.join(", ", parts) + ".");
    }

    private double points(int part) {
        return of(beforeParts[part] - afterParts[part]);
    }
}
