package dev.stagesim.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class ServiceProvidersTest {
    private static final String SERVICE = Runnable.class.getName();
    private static final Supplier<ServiceLoader<Runnable>> SEARCH = () -> ServiceLoader.load(Runnable.class);

    /** A provider that no file names. */
    public static final class Declared implements Runnable {
        @Override
        public void run() {}
    }

    @AfterEach
    void forget() {
        ServiceProviders.declare(Map.of());
    }

    @Test
    void searchesTheClassPathForServicesThatAreNotDeclared() {
        ServiceProviders.declare(Map.of("other", List.of(Declared.class.getName())));
        assertThat(ServiceProviders.of(Runnable.class, SEARCH)).isEmpty();
    }

    @Test
    void createsDeclaredProvidersWithoutASearch() {
        ServiceProviders.declare(Map.of(SERVICE, List.of(Declared.class.getName())));
        Supplier<ServiceLoader<Runnable>> never = () -> {
            throw new IllegalStateException("searched");
        };
        assertThat(ServiceProviders.of(Runnable.class, never)).singleElement().isInstanceOf(Declared.class);
    }

    /** A product can be built without some modules. */
    @Test
    void leavesOutDeclaredProvidersOfModulesThatAreNotThere() {
        ServiceProviders.declare(Map.of(SERVICE, List.of("dev.stagesim.Missing", Declared.class.getName())));
        assertThat(ServiceProviders.of(Runnable.class, SEARCH)).singleElement().isInstanceOf(Declared.class);
    }

    @Test
    void reportsADeclaredProviderThatCannotBeCreated() {
        ServiceProviders.declare(Map.of(SERVICE, List.of(Runnable.class.getName())));
        assertThatThrownBy(() -> ServiceProviders.of(Runnable.class, SEARCH))
                .isInstanceOf(ServiceConfigurationError.class)
                .hasMessageContaining("java.lang.Runnable: java.lang.Runnable");
    }
}
