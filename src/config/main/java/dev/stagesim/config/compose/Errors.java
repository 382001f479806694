package dev.stagesim.config.compose;

import dev.stagesim.config.compose.source.Repository;
import dev.stagesim.config.grammar.ConfigOverride;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.model.ForeignNames;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Errors of composition. */
final class Errors {
    private Errors() {}

    static Problem problem(String where, String what) {
        return Problem.config(where, what);
    }

    static StageException at(Origin where, String what) {
        return StageException.input(problem(where.describe(), what));
    }

    private static Problem from(Problem problem, Origin where) {
        return where.equals(Origin.UNKNOWN) ? problem : problem.from(where.describe());
    }

    private static Problem searchPath(Problem problem, Repository repository) {
        List<String> roots = repository.roots().stream()
                .map(root -> root.dir() + " (" + root.provider() + ")")
                .toList();
        return problem.note("searched", String.join(", ", roots));
    }

    static StageException primaryNotFound(String name, Repository repository) {
        List<String> known = repository.options("");
        Problem problem = withFormatHint(problem(name, "cannot find primary config '" + name + "'"), name, repository)
                .didYouMean(Suggest.near(name, known))
                .options(known);
        return StageException.input(searchPath(problem, repository));
    }

    /** Adds a hint if a file with this name exists in a format other than HOCON. */
    private static Problem withFormatHint(Problem problem, String path, Repository repository) {
        return repository
                .yaml(path)
                .map(file -> problem.hint(file + " exists, but only .conf and .json files are read"))
                .orElse(problem);
    }

    static StageException optionNotFound(Entry entry, String parent, Repository repository) {
        String group = entry.groupPath();
        String option = String.valueOf(entry.option());
        List<String> options = repository.options(group);
        Problem problem = problem(
                entry.key(),
                "could not find '" + entry.configPath() + "': unknown option of group '" + group + "'"
                        + referrer(entry, parent));
        problem = from(problem, entry.choice == null ? entry.where : entry.choice.where());
        if (options.isEmpty() && !repository.isGroup(group)) {
            problem = problem.hint("there is no group '" + group + "'")
                    .didYouMean(Suggest.near(group, repository.groups()));
        }
        problem = withFormatHint(problem, entry.configPath(), repository);
        List<String> all = repository.optionsBelow(group);
        String folder = option.substring(0, option.lastIndexOf('/') + 1);
        List<String> siblings = folder.isEmpty()
                ? options
                : all.stream().filter(name -> name.startsWith(folder)).toList();
        problem = problem.didYouMean(Suggest.near(option, all)).options(siblings.isEmpty() ? options : siblings);
        return StageException.input(searchPath(problem, repository));
    }

    /** Returns the config with an entry; empty if the entry is an argument. */
    private static String referrer(Entry entry, String parent) {
        return entry.choice != null && entry.choice.byUser() ? "" : ", referenced by '" + parent + "'";
    }

    static StageException configNotFound(Entry entry, String parent, Repository repository) {
        String path = entry.configPath();
        int slash = path.lastIndexOf('/');
        String group = slash < 0 ? "" : path.substring(0, slash);
        List<String> near = Suggest.near(path.substring(slash + 1), repository.options(group)).stream()
                .map(name -> group.isEmpty() ? name : group + "/" + name)
                .toList();
        Problem problem = withFormatHint(
                problem(path, "could not load config '" + path + "'" + referrer(entry, parent)), path, repository);
        problem = from(problem, entry.choice == null ? entry.where : entry.choice.where())
                .didYouMean(near);
        return StageException.input(searchPath(problem, repository));
    }

    static StageException mustSpecify(Entry entry, Repository repository) {
        String key = entry.key();
        Problem problem = problem(key, "you must specify '" + key + "', for example " + key + "=<OPTION>");
        return StageException.input(from(problem, entry.where).options(repository.options(entry.groupPath())));
    }

    static StageException multipleValues(Entry entry, String before, @Nullable Entry appended) {
        String key = entry.key();
        Problem problem = problem(
                key, "multiple values for '" + key + "': '" + entry.option() + "' here and '" + before + "' later");
        problem = from(problem, entry.where);
        if (appended != null) {
            return StageException.input(from(problem, appended.where)
                    .hint("'" + key + "' is already in the defaults list; omit the +: " + key + "="
                            + appended.option()));
        }
        return StageException.input(problem.hint("to replace a choice write 'override " + key + "'"));
    }

    static StageException duplicateEntry(DefaultEntry entry, String key) {
        return StageException.input(problem(key, "'" + key + "' appears more than once in the final defaults list")
                .from("the defaults list of '" + entry.parent() + "'")
                .hint("to change a group that is already in the list, omit the +"));
    }

    /**
     * Returns the error for an override of a group that does not exist.
     *
     * @param near keys of the defaults lists with the same group
     * @param settings paths of keys with the name of the group, if the program has no section of that name
     * @param added true if only the command line adds the group; an override in a config cannot change such a group
     */
    static StageException overrideUnused(
            String key,
            Choice choice,
            Collection<String> near,
            Collection<String> keys,
            Optional<List<String>> settings,
            boolean added) {
        String what = choice.byUser()
                ? "could not override '" + key + "', which is not in the defaults list"
                : "'" + choice.declaredIn() + "' could not override '" + key + "', which is not in the defaults list";
        Problem problem = from(problem(key, what), choice.where());
        List<String> foreign =
                ForeignNames.meant(key).stream().filter(keys::contains).limit(1).toList();
        List<String> meant = !foreign.isEmpty()
                ? foreign
                : Stream.concat(
                                settings.stream().flatMap(List::stream),
                                near.isEmpty()
                                        ? Suggest.near(key, keys).stream()
                                        : near.stream().sorted())
                        .toList();
        problem = added
                ? problem.hint("the command line adds '" + key + "'; an override in a config applies only to groups of"
                        + " defaults lists that come before it")
                : problem.didYouMean(meant);
        Optional<String> explanation = ForeignNames.explanation(key);
        if (choice.byUser() && explanation.isPresent() && foreign.isEmpty()) {
            problem = problem.hint(explanation.get());
        } else if (choice.byUser() && foreign.isEmpty() && (settings.isEmpty() || meant.isEmpty())) {
            problem = problem.hint("to append to the defaults list use +" + key + "=" + choice.describe());
        }
        return StageException.input(problem);
    }

    /** Returns the error for two overrides of the command line that cancel each other. */
    static StageException contradiction(String key, Origin first, Origin second) {
        return StageException.input(
                from(problem(key, "two overrides of '" + key + "' contradict each other, so one has no effect"), first)
                        .note("and", second.describe())
                        .hint("keep one of them"));
    }

    static StageException deletionUnused(String key, Optional<String> option, Origin where, Collection<String> keys) {
        String text = option.map(name -> key + "=" + name).orElse(key);
        return StageException.input(from(
                        problem(key, "could not delete '" + text + "': no match in the defaults list"), where)
                .didYouMean(Suggest.near(
                        key, keys.stream().filter(known -> !known.equals(key)).toList())));
    }

    static StageException overrideTooEarly(Entry override, Entry later, String config) {
        return StageException.input(from(
                problem(
                        config,
                        "the override of '" + override.key() + "' comes before '" + later.name()
                                + "'; overrides must be at the end of the defaults list"),
                override.where));
    }

    static StageException overrideInDeferred(Entry override, String config) {
        return StageException.input(from(
                problem(
                        config,
                        "override entries are not allowed below an interpolated option (override " + override.key()
                                + ")"),
                override.where));
    }

    static StageException unresolved(Entry entry, String text, Map<String, ?> known) {
        List<String> keys = new ArrayList<>(known.keySet());
        return StageException.input(
                from(problem(entry.name(), "cannot resolve the interpolation '" + text + "'"), entry.where)
                        .note("possible keys", String.join(", ", keys)));
    }

    static StageException cycle(List<String> path) {
        return StageException.input(problem(path.get(0), "defaults cycle: " + String.join(" -> ", path)));
    }

    static StageException unsettled(Collection<String> keys) {
        return StageException.input(problem(
                String.join(", ", keys),
                "the overrides do not converge: the configs that declare them exclude each other"));
    }

    static StageException notAnOption(String group, Origin where) {
        return at(where, "the option of group '" + group + "' must be a name or a list of names");
    }

    static StageException noKey(ConfigOverride override) {
        return StageException.input(problem(override.origin().describe(), "'" + override.input() + "' contains no key")
                .hint("write key=value without blanks around '=', or ~key to delete a key"));
    }

    static StageException noSuchGroup(ConfigOverride override, Collection<String> groups) {
        return StageException.input(problem(
                        override.keyElement(),
                        "'" + override.input() + "' looks like the choice of a group, but there is no group '"
                                + override.key() + "'")
                .from(override.origin().describe())
                .didYouMean(Suggest.near(override.key(), groups)));
    }
}
