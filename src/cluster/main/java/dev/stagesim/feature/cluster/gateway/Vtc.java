package dev.stagesim.feature.cluster.gateway;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.serving.cluster.VirtualTokenCounters;
import java.util.stream.IntStream;

/** Orders waiting requests by {@link VirtualTokenCounters}. */
public final class Vtc implements AdmissionQueue {
    @Variant("vtc | The tenant with the lowest virtual token counter goes first; ties go to the first"
            + " tenant. The counter adds prompt tokens x input_price when a request is sent, and output"
            + " tokens x output_price as they are produced, divided by the tenant's weight. When a tenant"
            + " starts to wait again, its counter is raised to the minimum of the waiting tenants.")
    public record Settings(
            @Key("Weight of a prompt token. | 1 | 0..1000000") double inputPrice,
            @Key("Weight of an output token. | 2 | 0..1000000") double outputPrice)
            implements QueueOrderSettings {
        @Override
        public AdmissionQueue make(Clients clients) {
            return new Vtc(this, clients);
        }
    }

    private final Clients clients;
    private final VirtualTokenCounters counters;

    /** Output tokens charged so far, by request. */
    private final int[] charged;

    private Vtc(Settings settings, Clients clients) {
        this.clients = clients;
        counters = new VirtualTokenCounters(
                settings.inputPrice(),
                settings.outputPrice(),
                IntStream.range(0, clients.tenants())
                        .mapToDouble(tenant -> clients.settings(tenant).weight())
                        .toArray());
        charged = new int[clients.requests()];
    }

    @Override
    public void add(int request) {
        counters.add(clients.tenant(request), request);
    }

    @Override
    public int take() {
        int tenant = counters.next();
        int request = counters.first(tenant);
        counters.remove(tenant, request);
        counters.chargePrompt(tenant, clients.promptTokens(request));
        return request;
    }

    @Override
    public void remove(int request) {
        counters.remove(clients.tenant(request), request);
    }

    @Override
    public int size() {
        return counters.size();
    }

    @Override
    public boolean chargesOutput() {
        return true;
    }

    @Override
    public void produced(int request, int tokens) {
        if (tokens > charged[request]) {
            counters.chargeOutput(clients.tenant(request), tokens - charged[request]);
            charged[request] = tokens;
        }
    }
}
