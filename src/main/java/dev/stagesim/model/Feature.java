package dev.stagesim.model;

import java.util.List;
import java.util.ServiceLoader;

/**
 * A part of the product in a folder and a jar of its own, which the product builds and runs without.
 *
 * <p>The features of a build are the lines of one file, {@code META-INF/services/dev.stagesim.model.Feature}.
 */
public interface Feature {
    /** What it adds: stages, kinds of stages, launchers. */
    List<Object> parts();

    /** What the features of this build add, of one type. */
    static <T> List<T> all(Class<T> type) {
        return Installed.PARTS.stream().filter(type::isInstance).map(type::cast).toList();
    }

    /** The features on the class path, loaded when first asked for. */
    final class Installed {
        private static final List<Object> PARTS =
                ServiceLoader.load(Feature.class, Feature.class.getClassLoader()).stream()
                        .flatMap(feature -> feature.get().parts().stream())
                        .toList();

        private Installed() {}
    }
}
