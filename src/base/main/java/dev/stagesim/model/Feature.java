package dev.stagesim.model;

import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;

/**
 * An optional part of the product; the rest builds and runs without it.
 *
 * <p>The features of a build are the lines of the files {@code META-INF/services/dev.stagesim.model.Feature} on the
 * class path.
 */
public interface Feature {
    /** Returns the stages, kinds of sections, kinds of stages and launchers that the feature adds. */
    List<Object> parts();

    /** Returns the position of the parts in help and reference pages; features of one position are sorted by name. */
    int position();

    /** Returns the parts of all features that have one type, by position. */
    static <T> List<T> all(Class<T> type) {
        return Installed.PARTS.stream().filter(type::isInstance).map(type::cast).toList();
    }

    /** The features on the class path, loaded on first use. */
    final class Installed {
        // the order of a class path with wildcards depends on the file system
        private static final List<Object> PARTS =
                ServiceLoader.load(Feature.class, Feature.class.getClassLoader()).stream()
                        .map(ServiceLoader.Provider::get)
                        .sorted(Comparator.comparingInt(Feature::position)
                                .thenComparing(feature -> feature.getClass().getName()))
                        .flatMap(feature -> feature.parts().stream())
                        .toList();

        private Installed() {}
    }
}
