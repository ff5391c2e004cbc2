namespace IpcBench.Analysis.Statistics;

/// <summary>The chi-squared distribution.</summary>
internal static class ChiSquared
{
    /// <summary>
    /// P(X ≥ x) with these degrees of freedom, by the series of the incomplete gamma function (Abramowitz and Stegun 6.5.29).
    /// </summary>
    public static double Above(double x, int degrees)
    {
        if (x <= 0 || degrees == 0)
            return 1;
        var (a, half) = (degrees / 2.0, x / 2);
        var (sum, term) = (1 / a, 1 / a);
        for (var i = 1; term > sum * 1e-15; i++)
            sum += term *= half / (a + i);
        return Math.Clamp(1 - sum * Math.Exp(a * Math.Log(half) - half - LogGamma(degrees)), 0, 1);
    }

    /// <summary>ln Γ(degrees / 2), by Γ(x + 1) = x Γ(x) from Γ(1) = 1 and Γ(1/2) = √π.</summary>
    private static double LogGamma(int degrees)
    {
        var log = degrees % 2 == 0 ? 0 : Math.Log(Math.PI) / 2;
        for (var twice = degrees % 2 == 0 ? 2 : 1; twice < degrees; twice += 2)
            log += Math.Log(twice / 2.0);
        return log;
    }
}
