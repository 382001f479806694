package dev.stagesim.sim.training.calculon;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Named figures in order; NaN stands for a figure that there is none of. */
public final class Figures {
    private final Map<String, Double> values = new LinkedHashMap<>();

    void put(String name, double value) {
        values.put(name, value);
    }

    void add(String name, double value) {
        values.merge(name, value, Double::sum);
    }

    /** The figure, which is there. */
    public double get(String name) {
        Double value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("no figure " + name);
        }
        return value;
    }

    /** All figures in order. */
    public Map<String, Double> all() {
        return Collections.unmodifiableMap(values);
    }
}
