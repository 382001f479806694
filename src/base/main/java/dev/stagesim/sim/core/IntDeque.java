package dev.stagesim.sim.core;

import java.util.Arrays;

/**
 * A double-ended queue of ints in one array that can be sorted in place.
 *
 * <p>Adding and removing at either end is amortised O(1) and allocates only when the array must grow.
 */
public final class IntDeque {
    private int[] items = new int[16];
    private int[] scratch = new int[0];
    private int head;
    private int tail;

    public int size() {
        return tail - head;
    }

    public boolean isEmpty() {
        return tail == head;
    }

    /** Returns the item at a position, counted from the front. */
    public int get(int index) {
        return items[head + index];
    }

    public int first() {
        return items[head];
    }

    public void addLast(int item) {
        if (tail == items.length) {
            makeRoomAtTail();
        }
        items[tail++] = item;
    }

    /** Adds the first {@code count} items of an array in order. */
    public void addAll(int[] source, int count) {
        while (items.length - tail < count) {
            makeRoomAtTail();
        }
        System.arraycopy(source, 0, items, tail, count);
        tail += count;
    }

    /** Removes items from the front. */
    public void removeFirst(int count) {
        head += count;
        if (head == tail) {
            clear();
        }
    }

    public void addFirst(int item) {
        if (head == 0) {
            makeRoomAtHead();
        }
        items[--head] = item;
    }

    public int removeFirst() {
        int item = items[head++];
        if (head == tail) {
            clear();
        }
        return item;
    }

    public int removeLast() {
        int item = items[--tail];
        if (head == tail) {
            clear();
        }
        return item;
    }

    /** Removes an item at any position in linear time. Returns false if it is absent. */
    public boolean remove(int item) {
        for (int i = head; i < tail; i++) {
            if (items[i] == item) {
                System.arraycopy(items, i + 1, items, i, tail - i - 1);
                tail--;
                if (head == tail) {
                    clear();
                }
                return true;
            }
        }
        return false;
    }

    void clear() {
        head = 0;
        tail = 0;
    }

    private void makeRoomAtTail() {
        if (head < items.length / 2) {
            items = Arrays.copyOf(items, items.length * 2);
            return;
        }
        System.arraycopy(items, head, items, 0, size());
        tail -= head;
        head = 0;
    }

    private void makeRoomAtHead() {
        int size = size();
        int room = Math.max(16, size);
        int[] target = size + room <= items.length ? items : new int[size + room + 16];
        System.arraycopy(items, head, target, room, size);
        items = target;
        head = room;
        tail = room + size;
    }

    /** Sorts stably by {@code keys[item]} in ascending order; linear if the items are already in order. */
    public void sortBy(double[] keys) {
        for (int i = head + 1; i < tail; i++) {
            if (keys[items[i]] < keys[items[i - 1]]) {
                sortFrom(i, keys);
                return;
            }
        }
    }

    private void sortFrom(int unsorted, double[] keys) {
        if (size() <= 64) {
            insertionSort(unsorted, keys);
        } else {
            mergeSort(keys);
        }
    }

    private void insertionSort(int from, double[] keys) {
        for (int i = from; i < tail; i++) {
            int item = items[i];
            double key = keys[item];
            int j = i;
            while (j > head && keys[items[j - 1]] > key) {
                items[j] = items[j - 1];
                j--;
            }
            items[j] = item;
        }
    }

    private void mergeSort(double[] keys) {
        if (scratch.length < tail) {
            scratch = new int[items.length];
        }
        int[] from = items;
        int[] to = scratch;
        for (int width = 1; width < size(); width *= 2) {
            for (int low = head; low < tail; low += 2 * width) {
                int middle = Math.min(low + width, tail);
                merge(from, to, keys, low, middle, Math.min(middle + width, tail));
            }
            int[] swap = from;
            from = to;
            to = swap;
        }
        if (from != items) {
            System.arraycopy(from, head, items, head, size());
        }
    }

    private static void merge(int[] from, int[] to, double[] keys, int low, int middle, int high) {
        int left = low;
        int right = middle;
        for (int at = low; at < high; at++) {
            boolean takeLeft = left < middle && (right >= high || keys[from[left]] <= keys[from[right]]);
            to[at] = takeLeft ? from[left++] : from[right++];
        }
    }
}
