package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.Feature;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The declared providers are those of all modules, so the product has the same features with and without other jars. */
final class ProductServicesTest {
    private static final Path SOURCES = Path.of(System.getProperty("stagesim.home", "."), "src");

    @Test
    void everyRegisteredProviderIsDeclared() throws IOException {
        assertThat(registered(Feature.class.getName())).hasSizeGreaterThan(10);
        for (String service : ProductServices.PROVIDERS.keySet()) {
            assertThat(ProductServices.PROVIDERS.get(service))
                    .as(service)
                    .doesNotHaveDuplicates()
                    .containsAll(registered(service));
        }
    }

    private static List<String> registered(String service) throws IOException {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> modules = Files.newDirectoryStream(SOURCES)) {
            for (Path module : modules) {
                Path file = module.resolve("main/resources/META-INF/services").resolve(service);
                names.addAll(Files.exists(file) ? Files.readAllLines(file) : List.of());
            }
        }
        return names;
    }
}
