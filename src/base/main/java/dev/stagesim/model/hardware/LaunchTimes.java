package dev.stagesim.model.hardware;

import dev.stagesim.model.Key;

/** Launches of operators. */
public record LaunchTimes(
        @Key("Host time to launch one operator. | 8 | us | 0..1000000") double launchUs,
        @Key("Host time to launch a collective. | 20 | us | 0..1000000") double collectiveLaunchUs,
        @Key("Operators launched per dense layer. | 10 | 0..10000") int launchesDense,
        @Key("Additional operators if queries and keys are normalised. | 2 | 0..10000") int launchesQkNorm,
        @Key("Additional operators of a layer with experts. | 8 | 0..10000") int launchesMoe,
        @Key(
                        "Host time per layer in steps whose operators are launched individually, if attention is latent or recurrent."
                                + " | 0 | us | 0..1000000")
                double latentUs,
        @Key("Host time per recurrent layer in steps whose operators are launched individually."
                        + " | 0 | us | 0..1000000")
                double recurrentUs,
        @Key("Idle time of the device between two kernels. | 0.4 | us | 0..1000000") double gapUs) {}
