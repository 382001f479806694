package dev.stagesim.predict.forest;

import java.util.Arrays;

/** One regression tree in depth-first order: node 0 is the root, and the left child of a node follows it. */
final class Tree {
    private static final byte LEAF = -1;

    private byte[] feature = new byte[64];

    /** Threshold of an inner node, value of a leaf. */
    private double[] number = new double[64];

    private int[] right = new int[64];
    private int size;

    int addLeaf(double leafValue) {
        if (size == feature.length) {
            resize(2 * size);
        }
        feature[size] = LEAF;
        number[size] = leafValue;
        return size++;
    }

    private void resize(int nodes) {
        feature = Arrays.copyOf(feature, nodes);
        number = Arrays.copyOf(number, nodes);
        right = Arrays.copyOf(right, nodes);
    }

    /** Trims the arrays of a complete tree, since a forest has hundreds. */
    Tree trimmed() {
        resize(size);
        return this;
    }

    /** Makes the last node an inner node. The next node added is its left child. */
    void split(int node, int onFeature, double at) {
        feature[node] = (byte) onFeature;
        number[node] = at;
    }

    void setRight(int parent, int child) {
        right[parent] = child;
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
        return number[node];
    }

    int left(int node) {
        return node + 1;
    }

    int right(int node) {
        return right[node];
    }

    double value(int node) {
        return number[node];
    }

    /** Value at a point with one or two features; trees with one feature ignore the second. */
    double at(float first, float second) {
        int node = 0;
        while (feature[node] != LEAF) {
            float x = feature[node] == 0 ? first : second;
            node = x <= number[node] ? node + 1 : right[node];
        }
        return number[node];
    }
}
