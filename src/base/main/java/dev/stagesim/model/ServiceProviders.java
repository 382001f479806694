package dev.stagesim.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.function.Supplier;

/** Finds the providers of a service on the class path. */
public final class ServiceProviders {
    private static volatile Map<String, List<String>> declared = Map.of();

    private ServiceProviders() {}

    /**
     * Names all providers of some services on the class path, by the name of the service. Without these names Java opens
     * all jars to find the providers.
     */
    public static void declare(Map<String, List<String>> providers) {
        declared = providers;
    }

    /**
     * Returns an instance of each provider, in no particular order. Declared providers of modules that are not there are
     * left out.
     *
     * @param search searches the class path if the providers are not declared
     * @throws ServiceConfigurationError if a provider cannot be loaded
     */
    public static <T> List<T> of(Class<T> service, Supplier<ServiceLoader<T>> search) {
        List<String> names = declared.get(service.getName());
        List<T> providers = new ArrayList<>();
        if (names == null) {
            search.get().forEach(providers::add);
            return providers;
        }
        for (String name : names) {
            try {
                providers.add(service.cast(
                        Class.forName(name).getDeclaredConstructor().newInstance()));
            } catch (ClassNotFoundException removed) {
                // the product was built without this module
            } catch (ReflectiveOperationException e) {
                throw new ServiceConfigurationError(service.getName() + ": " + name + " cannot be loaded", e);
            }
        }
        return providers;
    }
}
