package dev.stagesim.config.interp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResolversTest {
    private static final ResolverContext CONTEXT =
            new ResolverContext(Map.of(), Instant.EPOCH.atZone(ZoneOffset.UTC), MapNode.empty());

    @TempDir
    private Path jar;

    /** A user's own resolver. */
    public static final class Doubling implements ResolverProvider {
        @Override
        public List<Resolver> resolvers(ResolverContext context) {
            return List.of(new Resolver(
                    "twice",
                    "text",
                    "The text two times.",
                    1,
                    1,
                    (arguments, call) -> Datum.of(call.text(arguments.get(0)).repeat(2))));
        }
    }

    /** Registers a name that already exists. */
    public static final class Clashing implements ResolverProvider {
        @Override
        public List<Resolver> resolvers(ResolverContext context) {
            return List.of(new Resolver("now", "", "Nothing.", 0, 0, (arguments, call) -> Datum.ofNull()));
        }
    }

    private <T> T with(String provider, Supplier<T> body) throws IOException {
        Path services = Files.createDirectories(jar.resolve("META-INF/services"));
        Files.writeString(services.resolve(ResolverProvider.class.getName()), provider + "\n");
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {jar.toUri().toURL()}, before)) {
            thread.setContextClassLoader(loader);
            return body.get();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Test
    void callsTheResolversOfAProvider() throws IOException {
        MapNode tree = MapNode.empty().with("a", ScalarNode.of("${twice:ab}", Origin.UNKNOWN));
        MapNode resolved = with(Doubling.class.getName(), () -> Interpolator.of(tree, Resolvers.installed(CONTEXT))
                .resolve());
        assertThat(resolved.get("a")).isInstanceOfSatisfying(ScalarNode.class, leaf -> assertThat(leaf.text())
                .isEqualTo("abab"));
    }

    @Test
    void reportsFactsOfTheMachine() {
        MapNode tree = MapNode.empty()
                .with("cpus", ScalarNode.of("${machine:cpus}", Origin.UNKNOWN))
                .with("memory", ScalarNode.of("${machine:memory_gib}", Origin.UNKNOWN))
                .with("card", ScalarNode.of("local, ${machine:cpu}", Origin.UNKNOWN));
        MapNode resolved = Interpolator.of(tree, Resolvers.standard(CONTEXT)).resolve();
        assertThat(((ScalarNode) resolved.get("cpus")).text())
                .isEqualTo(Integer.toString(Runtime.getRuntime().availableProcessors()));
        assertThat(Integer.parseInt(((ScalarNode) resolved.get("memory")).text()))
                .isPositive();
        assertThat(((ScalarNode) resolved.get("card")).text()).isEqualTo("local, " + MachineFacts.cpu());
        MapNode wrong = MapNode.empty().with("x", ScalarNode.of("${machine:memory}", Origin.UNKNOWN));
        assertThatThrownBy(() ->
                        Interpolator.of(wrong, Resolvers.standard(CONTEXT)).resolve())
                .hasMessageContaining("there is no fact 'memory'");
    }

    @Test
    void hasOnlyBuiltInResolversWithoutProviders() {
        assertThat(Resolvers.installed(CONTEXT).all())
                .extracting(Resolver::name)
                .isEqualTo(Resolvers.standard(CONTEXT).all().stream()
                        .map(Resolver::name)
                        .toList());
    }

    @Test
    void rejectsANameInUse() {
        assertThatThrownBy(() -> with(Clashing.class.getName(), () -> Resolvers.installed(CONTEXT)))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("now: the resolver is registered twice")
                .hasMessageContaining("Clashing");
    }

    @Test
    void namesAProviderThatCannotBeLoaded() {
        assertThatThrownBy(() -> with("no.such.Provider", () -> Resolvers.installed(CONTEXT)))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("no.such.Provider");
    }

    @Test
    void describesEveryBuiltInResolver() throws IOException {
        String page = Files.readString(Path.of(System.getProperty("stagesim.home", "."), "specs", "composition.md"));
        assertThat(Resolvers.standard(CONTEXT).all()).isNotEmpty().allSatisfy(resolver -> assertThat(page)
                .contains("| `" + resolver.name() + ":"));
    }
}
