package dev.stagesim.architecture;

import com.tngtech.archunit.core.domain.JavaAnnotation;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMember;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Finds the classes that no command can use. */
final class Reachability {
    private final JavaClasses classes;

    Reachability(JavaClasses classes) {
        this.classes = classes;
    }

    /** Returns the top-level classes that the given classes use, directly or indirectly. */
    Set<String> from(Collection<String> names) {
        Set<String> known = new LinkedHashSet<>();
        Deque<JavaClass> open = new ArrayDeque<>();
        names.forEach(name -> open.add(classes.get(name)));
        while (!open.isEmpty()) {
            JavaClass type = open.remove();
            if (known.add(type.getName())) {
                uses(type)
                        .filter(used -> classes.contain(used.getName()))
                        .forEach(used -> open.add(classes.get(used.getName())));
            }
        }
        Set<String> top = new TreeSet<>();
        known.forEach(name -> top.add(name.replaceFirst("\\$.*", "")));
        return top;
    }

    private Stream<JavaClass> uses(JavaClass type) {
        Stream<JavaClass> direct = type.getDirectDependenciesFromSelf().stream()
                .map(dependency -> dependency.getTargetClass().getBaseComponentType());
        Stream<JavaClass> named = Stream.concat(
                        Stream.of(type), type.getMembers().stream().map(member -> (Object) member))
                .flatMap(owner -> annotations(owner).stream())
                .flatMap(annotation -> annotation.getProperties().values().stream())
                .filter(String.class::isInstance)
                .map(String.class::cast)
                .filter(classes::contain)
                .map(classes::get);
        // Variants of a sealed type are found by reflection.
        Stream<JavaClass> variants = type.isInterface() && type.reflect().isSealed()
                ? Arrays.stream(type.reflect().getPermittedSubclasses())
                        .map(Class::getName)
                        .filter(classes::contain)
                        .map(classes::get)
                : Stream.of();
        return Stream.of(direct, named, variants).flatMap(each -> each);
    }

    private static Set<? extends JavaAnnotation<?>> annotations(Object owner) {
        return owner instanceof JavaMember member ? member.getAnnotations() : ((JavaClass) owner).getAnnotations();
    }

    /**
     * Returns all top-level classes of packages, except classes of constants, because the compiler inlines constants.
     */
    Set<String> all(String... prefixes) {
        Set<String> all = new TreeSet<>();
        for (JavaClass type : classes) {
            String name = type.getName();
            if (!name.contains("$")
                    && !name.endsWith("package-info")
                    && !(type.getMethods().isEmpty() && !type.getFields().isEmpty() && !type.isInterface())
                    && Arrays.stream(prefixes).anyMatch(name::startsWith)) {
                all.add(name);
            }
        }
        return all;
    }
}
