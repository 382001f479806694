package dev.stagesim.config.compose;

import java.util.Optional;

/**
 * One line of the final defaults list: a config whose body is merged, in this order, into the tree.
 *
 * @param config path of the config below its search root ({@code db/mysql})
 * @param pkg dotted place of the body in the tree; empty for the root
 * @param parent the config whose defaults list named this one; {@code <root>} for the primary config
 * @param key the choice key that selects it ({@code db}, {@code db@source}); empty for plain configs and for the
 *     primary config
 * @param self true when the entry stands for {@code _self_} of {@code parent}'s own list
 * @param primary true for the primary config
 */
public record DefaultEntry(
        String config, String pkg, String parent, Optional<String> key, boolean self, boolean primary) {}
