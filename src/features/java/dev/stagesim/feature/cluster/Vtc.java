package dev.stagesim.feature.cluster;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/** Virtual token counters: the tenant with the least service goes next. */
final class Vtc implements Line {
    /** Its section. */
    @Variant(
            "vtc | The tenant with the least service goes next, the first known of equals: prompt tokens x input_price when a"
                    + " request is sent and output tokens x output_price when it is done, over the tenant's weight. One that"
                    + " comes back is lifted to the least of those that wait.")
    public record Settings(
            @Key("Price of a prompt token. | 1 | 0..") double inputPrice,
            @Key("Price of an output token. | 2 | 0..") double outputPrice)
            implements LineSettings {
        @Override
        public Line make(Clients clients) {
            return new Vtc(this, clients);
        }
    }

    private final Settings settings;
    private final Clients clients;
    private final List<LinkedHashSet<Integer>> waiting = new ArrayList<>();
    private final double[] served;

    /** Tenants in the order in which their first requests came. */
    private final LinkedHashSet<Integer> known = new LinkedHashSet<>();

    private int size;

    private Vtc(Settings settings, Clients clients) {
        this.settings = settings;
        this.clients = clients;
        served = new double[clients.tenants()];
        for (int i = 0; i < served.length; i++) {
            waiting.add(new LinkedHashSet<>());
        }
    }

    @Override
    public void add(int request) {
        int tenant = clients.tenant(request);
        if (waiting.get(tenant).isEmpty() && size > 0) {
            served[tenant] = Math.max(served[tenant], served[least()]);
        }
        known.add(tenant);
        waiting.get(tenant).add(request);
        size++;
    }

    /** The tenant among those that wait. */
    private int least() {
        int least = -1;
        for (int tenant : known) {
            boolean isLess = least < 0 || served[tenant] < served[least];
            least = isLess && !waiting.get(tenant).isEmpty() ? tenant : least;
        }
        return least;
    }

    @Override
    public int take() {
        int tenant = least();
        int request = waiting.get(tenant).iterator().next();
        remove(request);
        served[tenant] += clients.promptTokens(request) * settings.inputPrice() / weight(tenant);
        return request;
    }

    private double weight(int tenant) {
        return clients.named(tenant).weight();
    }

    @Override
    public void remove(int request) {
        size -= waiting.get(clients.tenant(request)).remove(request) ? 1 : 0;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public void served(int request) {
        int tenant = clients.tenant(request);
        served[tenant] += clients.outputTokens(request) * settings.outputPrice() / weight(tenant);
    }
}
