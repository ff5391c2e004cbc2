namespace IpcBench.Analysis.Statistics;

/// <summary>The normal distribution.</summary>
internal static class Normal
{
    /// <summary>P(Z ≤ z), by Marsaglia's series (2004, Evaluating the normal distribution), exact to 1e-15 where it matters.</summary>
    public static double Below(double z)
    {
        if (Math.Abs(z) > 8)
            return z < 0 ? 0 : 1;
        var (sum, term) = (z, z);
        for (var i = 3; Math.Abs(term) > 1e-17; i += 2)
            sum += term *= z * z / i;
        return 0.5 + sum * Math.Exp(-0.5 * z * z) / Math.Sqrt(2 * Math.PI);
    }

    /// <summary>The z with P(Z ≤ z) = p.</summary>
    public static double Quantile(double p)
    {
        var (low, high) = (-8.0, 8.0);
        for (var i = 0; i < 60; i++)
        {
            var middle = (low + high) / 2;
            (low, high) = Below(middle) < p ? (middle, high) : (low, middle);
        }
        return (low + high) / 2;
    }
}

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
