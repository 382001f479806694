package dev.stagesim.stage.realbench;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.bench.Endpoint;
import dev.stagesim.bench.ServerFacts;
import dev.stagesim.measure.EndpointSettings;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The server from the settings, with the checks before a measurement. */
final class LiveServer {
    private LiveServer() {}

    /** Returns the endpoint to measure. Invalid settings are reported together. */
    static Endpoint of(EndpointSettings settings, String model) {
        List<Problem> problems = new ArrayList<>();
        Optional<URI> url = url(settings, problems);
        url.ifPresent(address -> host(address, settings, problems));
        Optional<String> key = key(settings, problems);
        StageException.refuse(problems);
        return new Endpoint(
                url.orElseThrow(),
                settings.server().api() == EndpointSettings.Api.CHAT,
                settings.server().model().orElse(model),
                key,
                seconds(settings.timeouts().connectTimeout()),
                seconds(settings.timeouts().stallTimeout()),
                seconds(settings.timeouts().requestTimeout()),
                settings.ignoreEos());
    }

    /**
     * Returns the endpoint with the server's only model, if the server does not list the configured name.
     *
     * @param isNamed true if the user named the model
     */
    static Endpoint withListedModel(Endpoint endpoint, boolean isNamed) {
        List<String> listed = isNamed ? List.of() : ServerFacts.models(endpoint);
        if (listed.isEmpty() || listed.contains(endpoint.model())) {
            return endpoint;
        }
        if (listed.size() > 1) {
            throw StageException.input(
                    Problem.config("endpoint.model", "the server at " + endpoint + " has no model " + endpoint.model())
                            .options(listed)
                            .didYouMean(Suggest.near(endpoint.model(), listed)));
        }
        return endpoint.withModel(listed.get(0));
    }

    private static Optional<URI> url(EndpointSettings settings, List<Problem> problems) {
        if (settings.server().url().isEmpty()) {
            problems.add(Problem.config("endpoint.url", "not set, but real.source=endpoint measures a server")
                    .hint("endpoint.url=http://127.0.0.1:8000/v1"));
            return Optional.empty();
        }
        String text = settings.server().url().get();
        try {
            URI url = new URI(text);
            boolean http = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
            if (http && url.getHost() != null && url.getUserInfo() == null && url.getQuery() == null) {
                return Optional.of(url);
            }
        } catch (URISyntaxException e) {
            // falls through to the same message as for other schemes
        }
        problems.add(Problem.config("endpoint.url", "is '" + text + "'")
                .note("expected", "http:// or https://, a host, and a path such as /v1; no user, no query"));
        return Optional.empty();
    }

    /** A remote host must be named twice before load is sent to it. */
    private static void host(URI url, EndpointSettings settings, List<Problem> problems) {
        String host = url.getHost();
        if (isLoopback(host)) {
            settings.server()
                    .allowHost()
                    .ifPresent(named -> problems.add(
                            Problem.config("endpoint.allow_host", "has no effect: " + host + " is this machine")));
        } else if (settings.server().allowHost().filter(host::equalsIgnoreCase).isEmpty()) {
            problems.add(Problem.config("endpoint.url", "names " + host + ", which is another machine")
                    .hint("a replay is a load test: set endpoint.allow_host=" + host + " if you may put load on it"));
        }
    }

    private static boolean isLoopback(String host) {
        boolean literal = host.matches("127\\.\\d+\\.\\d+\\.\\d+") || host.equals("[::1]");
        if (literal) {
            return true;
        }
        try {
            return host.equals("localhost") && InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    /** Returns a warning about data that others can read in transit, if any. */
    static Optional<String> exposure(Endpoint endpoint) {
        URI base = endpoint.base();
        return endpoint.apiKey().isPresent() && !"https".equals(base.getScheme()) && !isLoopback(base.getHost())
                ? Optional.of("the API key is sent to " + base.getHost()
                        + " unencrypted: use https://, or a key that is" + " not secret")
                : Optional.empty();
    }

    private static Optional<String> key(EndpointSettings settings, List<Problem> problems) {
        return settings.server().apiKeyEnv().flatMap(name -> {
            String value = System.getenv(name);
            if (value == null || value.isBlank()) {
                problems.add(Problem.config("endpoint.api_key_env", "there is no environment variable " + name));
                return Optional.empty();
            }
            return Optional.of(value);
        });
    }

    private static Duration seconds(double seconds) {
        return Duration.ofNanos(Math.round(seconds * NS_PER_S));
    }
}
