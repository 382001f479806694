package dev.stagesim.config.compose;

import dev.stagesim.config.compose.source.Repository;
import dev.stagesim.config.grammar.ConfigOverride;
import dev.stagesim.config.grammar.Value;
import dev.stagesim.config.tree.Origin;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The overrides of one command line, sorted by target.
 *
 * @param choices options chosen for groups, by choice key
 * @param appends groups appended to the defaults list
 * @param deletions groups deleted from the defaults list, by choice key, and configs, by path
 * @param config overrides of the composed tree, in order
 */
record GroupOverrides(
        Map<String, Choice> choices,
        List<Append> appends,
        Map<String, Deletion> deletions,
        List<ConfigOverride> config) {
    /** A deletion of a group, restricted to one option if {@code option} is present. */
    record Deletion(Optional<String> option, Origin where) {}

    /**
     * An appended group.
     *
     * @param orChange true if a group that is already in the list is changed instead
     */
    record Append(String group, Optional<String> pkg, Choice choice, boolean orChange) {
        /** Returns the choice key that overrides and deletions use. */
        String key() {
            return group + pkg.map(place -> "@" + place).orElse("");
        }
    }

    /**
     * Sorts overrides. Sweeps are skipped, because they represent several jobs.
     *
     * @param findings receives the problems of invalid overrides, which are skipped
     */
    static GroupOverrides classify(
            List<ConfigOverride> overrides, Repository repository, Rules rules, Findings findings) {
        Sorter sorter = new Sorter(rules);
        for (ConfigOverride override : overrides) {
            if (!override.isSweep()) {
                boolean map =
                        override.value().filter(Value.Dict.class::isInstance).isPresent();
                boolean deletes = override.type() == ConfigOverride.Type.DELETE && rules.deletesByName();
                if ((map && !deletes)
                        || !(isGroup(override, repository, rules)
                                || (rules.deletesConfigs() && isConfigDeletion(override, repository, rules)))) {
                    sorter.config.add(override);
                } else {
                    findings.attempt(() -> sorter.group(override));
                }
            }
        }
        if (rules.rejectsIneffectiveOverrides()) {
            sorter.checkContradictions(findings);
        }
        return new GroupOverrides(sorter.choices, sorter.appends, sorter.deletions, sorter.config);
    }

    private static boolean isGroup(ConfigOverride override, Repository repository, Rules rules) {
        return repository.isGroup(override.key())
                && (override.type() != ConfigOverride.Type.APPEND || rules.appendsToListsOnly())
                && override.type() != ConfigOverride.Type.REPLACE;
    }

    private static boolean isConfigDeletion(ConfigOverride override, Repository repository, Rules rules) {
        return override.type() == ConfigOverride.Type.DELETE
                && (override.namesGroup() || rules.deletesByName())
                && override.pkg().isEmpty()
                && override.value().isEmpty()
                && repository.load(override.key()).isPresent();
    }

    /** Returns a key that is equal for equal defaults lists. */
    List<Object> identity() {
        return List.of(choices.toString(), appends.toString(), deletions.toString());
    }

    private static final class Sorter {
        private final Rules rules;
        private final Map<String, Choice> choices = new LinkedHashMap<>();
        private final List<Append> appends = new ArrayList<>();
        private final Map<String, Deletion> deletions = new LinkedHashMap<>();
        private final List<ConfigOverride> config = new ArrayList<>();

        Sorter(Rules rules) {
            this.rules = rules;
        }

        void group(ConfigOverride override) {
            String key = override.key() + override.pkg().map(pkg -> "@" + pkg).orElse("");
            switch (override.type()) {
                case FORCE_ADD -> {
                    if (!rules.allowsExtendedChoices()) {
                        throw Errors.at(override.origin(), "force-add of config groups is not supported");
                    }
                    appends.add(new Append(override.key(), override.pkg(), choice(override), true));
                }
                case DELETE -> deletions.put(key, deletion(override));
                case ADD -> appends.add(new Append(override.key(), override.pkg(), choice(override), false));
                default -> choose(key, choice(override));
            }
        }

        private void choose(String key, Choice choice) {
            Choice earlier = choices.put(key, choice);
            if (earlier != null && rules.rejectsIneffectiveOverrides() && !earlier.selectsSame(choice)) {
                throw Errors.contradiction(key, earlier.where(), choice.where());
            }
        }

        /** Reports overrides that choose an option of a group and are discarded by another override. */
        void checkContradictions(Findings findings) {
            Map<String, Choice> earlier = new HashMap<>();
            for (Append append : appends) {
                String key = append.key();
                Choice replaced = earlier.put(key, append.choice());
                if (append.orChange() && replaced != null && !replaced.selectsSame(append.choice())) {
                    findings.add(Errors.contradiction(
                            key, replaced.where(), append.choice().where()));
                }
                check(findings, key, append.choice());
                Choice other = choices.get(key);
                if (other != null) {
                    findings.add(Errors.contradiction(key, append.choice().where(), other.where()));
                }
            }
            choices.forEach((key, choice) -> check(findings, key, choice));
        }

        private void check(Findings findings, String key, Choice choice) {
            Deletion deletion = deletions.get(key);
            if (deletion != null
                    && deletion.option()
                            .map(option -> option.equals(choice.option()))
                            .orElse(true)) {
                findings.add(Errors.contradiction(key, choice.where(), deletion.where()));
            }
        }

        private Choice choice(ConfigOverride override) {
            Value value = override.value().orElse(Value.Null.NULL);
            if (value instanceof Value.Items list) {
                return new Choice(
                        null,
                        list.items().stream()
                                .map(item -> rules.validatesOptionListsEarly()
                                        ? option(item, override)
                                        : rules.option(item).orElse(Choice.NO_NAME))
                                .toList(),
                        null,
                        false,
                        override.origin());
            }
            boolean none = value instanceof Value.Null && rules.allowsExtendedChoices();
            return new Choice(none ? null : option(value, override), null, null, false, override.origin());
        }

        private String option(Value value, ConfigOverride override) {
            return rules.option(value).orElseThrow(() -> Errors.notAnOption(override.key(), override.origin()));
        }

        private Deletion deletion(ConfigOverride override) {
            Optional<Value> value = override.value().filter(given -> !(given instanceof Value.Null));
            return new Deletion(
                    value.map(given -> rules.option(given)
                            .orElseThrow(() -> Errors.at(
                                    override.origin(),
                                    "the option to delete from group '" + override.key() + "' must be a name"))),
                    override.origin());
        }
    }
}
