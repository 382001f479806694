package dev.stagesim.config.compose.source;

/**
 * The engine's settings as HOCON. They are part of a class instead of a file, because Java opens all jars on the class
 * path before the one with the file.
 */
final class EngineText {
    static final String TEXT =
            """
            # The engine's own settings, under the key hydra of every composed tree.

            list = [
              { output = default }
              { launcher = basic }
              { sweeper = basic }
              { help = default }
              { hydra_help = default }
              { hydra_logging = default }
              { job_logging = default }
              { callbacks = null }
              { env = default }
            ]

            types {
              HydraConf {
                mode = ["optional[enum[RUN,MULTIRUN]]", null]
                searchpath = ["list[str]", []]
                run = [RunDir, null]
                sweep = [SweepDir, null]
                hydra_logging = ["dict[str,any]", "???"]
                job_logging = ["dict[str,any]", "???"]
                sweeper = [any, "???"]
                launcher = [any, "???"]
                callbacks = ["dict[str,any]", {}]
                help = [HelpConf, null]
                hydra_help = [HydraHelpConf, null]
                output_subdir = ["optional[str]", ".hydra"]
                overrides = [OverridesConf, null]
                job = [JobConf, null]
                runtime = [RuntimeConf, null]
                verbose = [any, false]
                env = [any, {}]
              }
              RunDir {
                dir = [str, "outputs/${now:%Y-%m-%d}/${now:%H-%M-%S}"]
              }
              SweepDir {
                dir = [str, "multirun/${now:%Y-%m-%d}/${now:%H-%M-%S}"]
                subdir = [str, "${hydra.job.num}"]
              }
              HelpConf {
                app_name = [str, "${hydra.job.name}"]
                header = [str, ""]
                footer = [str, ""]
                template = [str, ""]
              }
              HydraHelpConf {
                hydra_help = [str, "???"]
                template = [str, "???"]
              }
              OverridesConf {
                hydra = ["list[str]", []]
                task = ["list[str]", []]
              }
              JobConf {
                name = [str, app]
                chdir = ["optional[bool]", null]
                override_dirname = [str, ""]
                id = [str, "???"]
                num = [int, "???"]
                config_name = ["optional[str]", null]
                env_set = ["dict[str,str]", {}]
                env_copy = ["list[str]", []]
                config = [JobNaming, null]
              }
              JobNaming {
                override_dirname = [DirnameConf, null]
              }
              DirnameConf {
                kv_sep = [str, "="]
                item_sep = [str, ","]
                exclude_keys = ["list[str]", []]
              }
              RuntimeConf {
                version = [str, "???"]
                version_base = ["optional[str]", "1.3"]
                cwd = [str, "???"]
                config_sources = ["list[any]", "???"]
                output_dir = [str, "???"]
                choices = ["dict[str,any]", {}]
              }
            }

            groups {
              hydra/output/default {}
              hydra/launcher/basic { kind = local }
              hydra/sweeper/basic { kind = grid, max_batch_size = null, params = {}, seed = 0 }
              hydra/help/default {}
              hydra/hydra_help/default { hydra_help = "", template = "" }
              hydra/hydra_logging/default { level = info }
              hydra/hydra_logging/disabled { level = "off" }
              hydra/hydra_logging/hydra_debug { level = debug }
              hydra/hydra_logging/none {}
              hydra/job_logging/default { level = info }
              hydra/job_logging/disabled { level = "off" }
              hydra/job_logging/none {}
              hydra/job_logging/stdout { level = info }
              hydra/env/default {}
            }
            """;

    private EngineText() {}
}
