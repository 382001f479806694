package dev.stagesim.sim.serving;

import java.util.ArrayList;
import java.util.List;

/** A batch of the {@link PlainSimulator}. */
final class PlainBatch {
    final int replica;
    final double formedAt;
    long id;
    final List<PlainRequest> requests = new ArrayList<>();
    final List<Integer> tokens = new ArrayList<>();

    PlainBatch(int replica, double formedAt) {
        this.replica = replica;
        this.formedAt = formedAt;
    }

    void add(PlainRequest request, int count) {
        requests.add(request);
        tokens.add(count);
    }

    int size() {
        return requests.size();
    }

    int totalTokens() {
        return tokens.stream().mapToInt(t -> t).sum();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < size(); i++) {
            text.append(i == 0 ? "" : " ").append(requests.get(i).id);
            text.append(':').append(tokens.get(i));
        }
        return text.toString();
    }
}
