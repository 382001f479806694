package dev.stagesim.sim.systolic.spec;

import java.util.List;

/**
 * Custom memory layout: how an operand is divided into memory lines.
 *
 * @param factors size of a line along each axis
 * @param order axes of the blocked array in storage order: axes between lines first, then axes within a line
 */
public record LayoutOrder(List<Integer> factors, List<Integer> order) {
    public LayoutOrder {
        factors = List.copyOf(factors);
        order = List.copyOf(order);
    }

    public long words() {
        long product = 1;
        for (int factor : factors) {
            product *= factor;
        }
        return product;
    }
}
