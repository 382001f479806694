package dev.stagesim.feature.cluster.gateway;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.util.Arrays;

/** A rate of prompt tokens for each tenant. */
public final class TokenBucket implements Admission {
    /** Its section. */
    @Variant(
            "token_bucket | Requests whose prompt fits the tokens of their tenant, which fill up at a rate; a refused one takes"
                    + " none.")
    public record Settings(
            @Key("Rate of each tenant. | 10000 | tokens/s | 0.000001..1000000000000") double tokensPerS,
            @Key("Maximum tokens that a tenant can have; it begins with them. | 100000 | tokens | 1..1000000000")
                    double burstTokens)
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
