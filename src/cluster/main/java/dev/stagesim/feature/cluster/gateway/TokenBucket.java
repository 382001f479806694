package dev.stagesim.feature.cluster.gateway;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.util.Arrays;

/** Limits the rate of prompt tokens per tenant. */
public final class TokenBucket implements Admission {
    @Variant("token_bucket | Accepts requests while the bucket of the tenant has enough tokens for the"
            + " prompt. Buckets fill at a constant rate; rejected requests consume no tokens.")
    public record Settings(
            @Key("Fill rate per tenant. | 10000 | tokens/s | 0.000001..1000000000000") double tokensPerS,
            @Key("Bucket size. Buckets are full at the start. | 100000 | tokens | 1..1000000000") double burstTokens)
            implements AdmissionSettings {
        @Override
        public Admission make(Clients clients) {
            return new TokenBucket(this, clients);
        }
    }

    private final Settings settings;
    private final Clients clients;
    private final double[] tokens;
    private final double[] since;

    private TokenBucket(Settings settings, Clients clients) {
        this.settings = settings;
        this.clients = clients;
        tokens = new double[clients.tenants()];
        Arrays.fill(tokens, settings.burstTokens());
        since = new double[clients.tenants()];
    }

    @Override
    public boolean admits(int request, double now, double load) {
        int tenant = clients.tenant(request);
        double filled = tokens[tenant] + (now - since[tenant]) * settings.tokensPerS();
        tokens[tenant] = Math.min(settings.burstTokens(), filled);
        since[tenant] = now;
        int cost = clients.promptTokens(request);
        boolean fits = cost <= tokens[tenant];
        tokens[tenant] -= fits ? cost : 0;
        return fits;
    }
}
