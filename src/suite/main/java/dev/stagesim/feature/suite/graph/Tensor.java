package dev.stagesim.feature.suite.graph;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Shape of the data between layers.
 *
 * @param dims sizes of one sample
 * @param differentiable true if earlier layers have weights, so that its gradient is needed
 */
record Tensor(List<Integer> dims, boolean differentiable) {
    Tensor {
        dims = List.copyOf(dims);
    }

    /** Values per sample. */
    long size() {
        long size = 1;
        for (int dim : dims) {
            size = Math.multiplyExact(size, (long) dim);
        }
        return size;
    }

    int rank() {
        return dims.size();
    }

    int dim(int axis) {
        return dims.get(axis);
    }

    /** Innermost size: features or channels. */
    int last() {
        return dims.get(dims.size() - 1);
    }

    /** Number of vectors along the innermost axis. */
    long rows() {
        return size() / last();
    }

    /** Returns the same values in another shape. */
    Tensor shaped(Integer... sizes) {
        return new Tensor(List.of(sizes), differentiable);
    }

    /** Returns a copy with another innermost size. */
    Tensor withLast(int size) {
        List<Integer> sizes = new java.util.ArrayList<>(dims);
        sizes.set(sizes.size() - 1, size);
        return new Tensor(sizes, differentiable);
    }

    /** Returns a copy that needs a gradient. */
    Tensor trained() {
        return new Tensor(dims, true);
    }

    @Override
    public String toString() {
        return dims.stream().map(String::valueOf).collect(Collectors.joining(" x "));
    }
}
