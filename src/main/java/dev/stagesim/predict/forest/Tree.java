package dev.stagesim.predict.forest;

import java.util.Arrays;

/** One regression tree; node 0 is the root. */
final class Tree {
    private static final int LEAF = -1;

    private int[] feature = new int[64];
    private double[] threshold = new double[64];
    private int[] left = new int[64];
    private int[] right = new int[64];
    private double[] value = new double[64];
    private int size;

    int addLeaf(double leafValue) {
        if (size == feature.length) {
            grow();
        }
        feature[size] = LEAF;
        value[size] = leafValue;
        return size++;
    }

    private void grow() {
        int n = 2 * size;
        feature = Arrays.copyOf(feature, n);
        threshold = Arrays.copyOf(threshold, n);
        left = Arrays.copyOf(left, n);
        right = Arrays.copyOf(right, n);
        value = Arrays.copyOf(value, n);
    }

    /** Makes a leaf an inner node whose children come later. */
    void split(int node, int onFeature, double at) {
        feature[node] = onFeature;
        threshold[node] = at;
    }

    void setChild(int parent, boolean isLeft, int child) {
        (isLeft ? left : right)[parent] = child;
    }

    int size() {
        return size;
    }

    boolean isLeaf(int node) {
        return feature[node] == LEAF;
    }

    int feature(int node) {
        return feature[node];
    }

    double threshold(int node) {
        return threshold[node];
    }

    int left(int node) {
        return left[node];
    }

    int right(int node) {
        return right[node];
    }

    double value(int node) {
        return value[node];
    }

    /** Value at a point with one or two features; the second is not looked at by trees of one. */
    double at(float first, float second) {
        int node = 0;
        while (feature[node] != LEAF) {
            float x = feature[node] == 0 ? first : second;
            node = x <= threshold[node] ? left[node] : right[node];
        }
        return value[node];
    }
}
