package dev.stagesim.sim.core;

import java.util.Arrays;

/** A growing list of ints in one array. */
public final class IntList {
    private int[] items = new int[8];
    private int size;

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public int get(int index) {
        if (index >= size) {
            throw new IndexOutOfBoundsException(index + " of " + size);
        }
        return items[index];
    }

    public void set(int index, int value) {
        if (index >= size) {
            throw new IndexOutOfBoundsException(index + " of " + size);
        }
        items[index] = value;
    }

    public void add(int value) {
        reserve(size + 1);
        items[size++] = value;
    }

    /** Appends the items of another list, the last one first. */
    public void addReversed(IntList list) {
        reserve(size + list.size);
        for (int i = list.size - 1; i >= 0; i--) {
            items[size++] = list.items[i];
        }
    }

    /** Appends a value {@code count} times. */
    public void fill(int count, int value) {
        for (int i = 0; i < count; i++) {
            add(value);
        }
    }

    /** Reserves capacity for {@code length} items. */
    public void reserve(int length) {
        if (length > items.length) {
            items = Arrays.copyOf(items, Math.max(length, size * 2));
        }
    }

    /** Removes all items from {@code length} on. */
    public void truncate(int length) {
        size = Math.min(size, length);
    }

    public void clear() {
        size = 0;
    }

    public boolean contains(int value) {
        for (int i = 0; i < size; i++) {
            if (items[i] == value) {
                return true;
            }
        }
        return false;
    }

    public int[] toArray() {
        return Arrays.copyOf(items, size);
    }
}
